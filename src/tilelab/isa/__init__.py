"""Describing instruction sets: rows, fields, codec, assembler, disassembler. Knows no chip."""
