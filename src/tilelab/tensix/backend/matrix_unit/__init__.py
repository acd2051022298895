"""The matrix unit (FPU): one file for each family of its instructions.

Source: tt-isa-documentation, MatrixUnit.md. Each file states its pages and what it does not
model. Wormhole and Blackhole share the text; where rows differ, each has a kernel of its own.
"""
