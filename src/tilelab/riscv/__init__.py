"""RISC-V: the instructions' bits, once, for cores, assemblers, debuggers and checkers."""
