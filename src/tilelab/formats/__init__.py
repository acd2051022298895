"""Tensors on the host and their bytes in L1. Knows no machine.

:func:`to_l1_bytes` and :func:`from_l1_bytes` convert whole arrays; the modules below them are the
number formats (``scalars``, ``blocks``) and the order of data in a tile (``layout``).
"""

from tilelab.formats.data_format import DataFormat
from tilelab.formats.l1 import (
    FORMATS,
    LAYOUTS,
    Format,
    Layout,
    from_l1_bytes,
    l1_size,
    to_l1_bytes,
)
from tilelab.formats.layout import tilize, untilize

__all__ = [
    "FORMATS",
    "LAYOUTS",
    "DataFormat",
    "Format",
    "Layout",
    "from_l1_bytes",
    "l1_size",
    "tilize",
    "to_l1_bytes",
    "untilize",
]
