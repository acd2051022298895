"""The RISC-V cores of a Tensix tile."""
