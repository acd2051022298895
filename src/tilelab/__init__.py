"""tilelab: a lab bench for tile processors."""

__version__ = "0.1.0"
