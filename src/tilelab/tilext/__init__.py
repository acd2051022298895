"""The RISC-V Tile Extension."""
