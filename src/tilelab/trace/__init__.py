"""Trace events and their writers."""
