"""Engines that run a machine's instructions."""
