"""ELF files: read from bytes that may be anything, written small, and what DWARF says in them."""
