"""Kernels compiled with the vendor's own headers, out of an installed wheel or a checkout."""
