"""Instructions that are refused, whatever their operands, each row with the check that it fails.

Source: tt-isa-documentation, MatrixUnit.md, "Legacy instructions": the convolution and average
pooling steps add zero to Dst rows that the page does not name, and the max pooling steps compare
with zero; of the others only the encoding is public. PACR_SETREG.md: it writes registers of the
stream overlay, which is no part of a tile here. None but that occurs in the vendor's kernels.

Not modelled: everything here; each instruction faults with its reason.
"""

from collections.abc import Callable

from tilelab.sim.checks import CHECKS, check, fault
from tilelab.sim.errors import (
    MissingSpecificationError,
    NonContractualBehaviorError,
    UnsupportedFunctionalityError,
)
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.backend.semantics import semantics
from tilelab.tensix.chips.opcodes import PACR_SETREG
from tilelab.tensix.state.records import State

LEGACY = check(
    "matrix-legacy",
    NonContractualBehaviorError,
    "opcode {value:#04x} is a convolution or pooling step of an earlier chip",
    page="MatrixUnit.md",
    cure="use MVMUL, GAPOOL or GMPOOL",
)
UNDOCUMENTED = check(
    "matrix-undocumented",
    MissingSpecificationError,
    "no document says what opcode {value:#04x} does",
    page="MatrixUnit.md",
    cure="remove the instruction",
)
HISTOGRAM = check(
    "matrix-histogram",
    UnsupportedFunctionalityError,
    "opcode {value:#04x} resets the packers' exponent histograms, which are not modelled",
    page="CLREXPHIST.md",
    cure="remove the instruction",
)
OVERLAY = check(
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


def legacy(s: State, t: int, word: int) -> int:
    """A step of an earlier chip."""
    return fault(s, LEGACY, word >> 24)


def undocumented(s: State, t: int, word: int) -> int:
    """Of the matrix unit, and in no document."""
    return fault(s, UNDOCUMENTED, word >> 24)


def histogram(s: State, t: int, word: int) -> int:
    """Resets the exponent histograms (CLREXPHIST.md)."""
    return fault(s, HISTOGRAM, word >> 24)


def overlay(s: State, t: int, word: int) -> int:
    """Writes a register of the overlay in order with PACR (PACR_SETREG.md)."""
    return fault(s, OVERLAY, PACR_SETREG.stream_id(word))


def rstdma(s: State, t: int, word: int) -> int:
    """Not documented."""
    return fault(s, RSTDMA, 0)


def tbufcmd(s: State, t: int, word: int) -> int:
    """Not documented."""
    return fault(s, TBUFCMD, 0)


REFUSALS: dict[str, Callable[[State, int, int], int]] = {
    CHECKS[LEGACY].name: legacy,
    CHECKS[UNDOCUMENTED].name: undocumented,
    CHECKS[HISTOGRAM].name: histogram,
    CHECKS[OVERLAY].name: overlay,
    CHECKS[RSTDMA].name: rstdma,
    CHECKS[TBUFCMD].name: tbufcmd,
}
"""The kernel of each check that a row may name in its column ``refused``."""

for _arch in ARCHES.values():
    for _row in _arch.instructions.values():
        if _row.refused:
            semantics(_row.name, (_arch.name,))(REFUSALS[_row.refused])
