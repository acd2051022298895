"""Instructions around the packers, unpackers and mover that are refused, each with its category.

Sources: tt-isa-documentation, PACR_SETREG.md and XMOV.md; RSTDMA and TBUFCMD have no page.

Not modelled: all four. PACR_SETREG writes registers of the stream overlay, XMOV is the mover's:
no such unit is part of a tile here.
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
XMOV = check(
    "xmov",
    UnsupportedFunctionalityError,
    "XMOV needs the mover, which is not modelled (block {value})",
    page="XMOV.md",
    cure="let a RISC-V core copy the data",
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


@semantics("XMOV")
def xmov(s: Any, t: int, mov_block_selection: int, last: int) -> int:
    """Start the mover (XMOV.md): refused."""
    return fault(s, XMOV, mov_block_selection)


@semantics("RSTDMA")
def rstdma(s: Any, t: int) -> int:
    """Not documented: refused."""
    return fault(s, RSTDMA, 0)


@semantics("TBUFCMD")
def tbufcmd(s: Any, t: int) -> int:
    """Not documented: refused."""
    return fault(s, TBUFCMD, 0)
