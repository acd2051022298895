"""Benchmarks: the same work on every simulator at hand, side by side (``tilelab bench``)."""
