"""A whole chip: tiles on a NoC with DRAM, and the side of it that a host sees."""
