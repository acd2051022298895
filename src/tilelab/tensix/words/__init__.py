"""What everyone shares about an instruction word: its text, its origin, what it waits for."""
