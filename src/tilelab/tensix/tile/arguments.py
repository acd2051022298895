"""What users of a tile may give: each of these returns it checked, or raises BadInputError."""

from operator import index

from tilelab.sim.errors import BadInputError


def integer(name: str, value: int) -> int:
    """Return an integer, which may be one of NumPy's."""
    try:
        return index(value)
    except TypeError:
        raise BadInputError(f"{name} is {value!r}, not an integer") from None


def whole(name: str, value: int) -> int:
    """Return a count: an integer that is not negative."""
    number = integer(name, value)
    if not 0 <= number < 1 << 63:
        raise BadInputError(f"{name} is {number}: choose 0 to {(1 << 63) - 1}")
    return number


def checked_address(address: int) -> int:
    """Return an address, which must have 32 bits."""
    number = integer("address", address)
    if not 0 <= number < 1 << 32:
        raise BadInputError(f"{number:#x} is not an address of 32 bits")
    return number
