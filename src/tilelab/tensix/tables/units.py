"""The units that Tensix instructions execute in."""

from enum import StrEnum


class Unit(StrEnum):
    """Named as the hardware manual names them."""

    FRONTEND = "frontend"
    SYNC = "sync_unit"
    UNPACK = "unpackers"
    MATRIX = "matrix_unit"
    PACK = "packers"
    VECTOR = "vector_unit"
    SCALAR = "scalar_unit"
    CONFIG = "configuration_unit"
    MISC = "misc_unit"
    MOVER = "mover"
