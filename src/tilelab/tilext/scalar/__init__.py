"""The scalar core beside the tile core: RV64IMC with Zicsr, its assembler, and ELF files.

Small on purpose: it runs the loops around tile instructions. Not modelled: atomics, floating
point, vectors, traps and privilege. The assembler writes no compressed instructions.
"""
