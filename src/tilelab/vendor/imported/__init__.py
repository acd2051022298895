"""Kernels of a live ttnn program as folders: what it compiled, what it was given, what came out."""
