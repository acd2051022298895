"""The checker: a run whose every access is watched, and what it finds."""
