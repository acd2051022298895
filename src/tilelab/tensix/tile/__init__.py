"""A tile as a user holds it: its state by the hardware's names, its junk, its copies."""
