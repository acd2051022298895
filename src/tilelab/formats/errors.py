"""What is wrong with an array, a format or a layout."""

from tilelab.sim.errors import BadInputError


class FormatError(BadInputError, ValueError):
    """An array that a format or layout cannot hold, or a format or layout that there is not."""
