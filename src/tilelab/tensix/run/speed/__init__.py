"""What makes a run fast, and changes nothing of what it means: compiled code, batches, skips."""
