"""Whole instructions in the forms that other tools read, all from :mod:`.shapes`."""
