"""Cores that poll: found, left alone while nothing that they look at changes, put where they are.

Nothing of what a run means changes; it takes less time.
"""
