"""The vendor's kernels: their ELFs loaded and run as the vendor's own test harness does it."""

from tilelab.vendor.llk.harness import backend

__all__ = ["backend"]
