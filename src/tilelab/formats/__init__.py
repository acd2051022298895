"""Number formats of tile processors, as NumPy conversions."""
