"""What is said of a finished run: where its time went, how two differ, in which colours."""
