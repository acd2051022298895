"""The packers: Dst to L1."""
