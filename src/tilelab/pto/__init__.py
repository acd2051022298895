"""TPUSH, TPOP and TFREE over ring FIFOs between Cube and Vector cores."""
