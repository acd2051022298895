"""Instructions around the packers and unpackers that are refused, each with its category.

Source: tt-isa-documentation, PACR_SETREG.md; RSTDMA and TBUFCMD have no page.

Not modelled: all three. PACR_SETREG writes registers of the stream overlay, which is no part of a
tile here.
"""

from typing import Any

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import MissingSpecificationError, UnsupportedFunctionalityError
from tilelab.tensix.backend.semantics import semantics

PACR_SETREG = check(
    "pacr-setreg",
    UnsupportedFunctionalityError,
    "PACR_SETREG (stream {value}) writes registers that are not modelled",
    page="PACR_SETREG.md",
)
RSTDMA = check(
    "rstdma", MissingSpecificationError, "no document says what RSTDMA does", page="README.md"
)
TBUFCMD = check(
    "tbufcmd", MissingSpecificationError, "no document says what TBUFCMD does", page="README.md"
)


@semantics("PACR_SETREG", chip="blackhole")
def pacr_setreg_blackhole(
    s: Any,
    t: int,
    push: int,
    mode_sel: int,
    disable_stall: int,
    addr_sel: int,
    stream_id: int,
    flush: int,
    last: int,
) -> int:
    """Write a register in order with PACR (PACR_SETREG.md): refused."""
    return fault(s, PACR_SETREG, stream_id)


@semantics("PACR_SETREG", chip="wormhole")
def pacr_setreg_wormhole(
    s: Any,
    t: int,
    push: int,
    addr_sel: int,
    wr_data: int,
    pack_sel: int,
    stream_id: int,
    flush: int,
    last: int,
) -> int:
    """Write a register in order with PACR (PACR_SETREG.md): refused."""
    return fault(s, PACR_SETREG, stream_id)


@semantics("RSTDMA")
def rstdma(s: Any, t: int) -> int:
    """Not documented: refused."""
    return fault(s, RSTDMA, 0)


@semantics("TBUFCMD")
def tbufcmd(s: Any, t: int) -> int:
    """Not documented: refused."""
    return fault(s, TBUFCMD, 0)
