"""Kernels and programs as files: read, built, run, and shown beside their expansion."""
