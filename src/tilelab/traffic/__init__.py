"""Recorded calls of a host to chips: read, written, condensed and played back."""
