"""Instructions that are refused, whatever their operands, each row with the check that it fails.

Source: tt-isa-documentation, MatrixUnit.md, "Legacy instructions": the convolution and average
pooling steps add zero to Dst rows that the page does not name, and the max pooling steps compare
with zero; of the others only the encoding is public. PACR_SETREG.md: it writes registers of the
stream overlay, which is no part of a tile here. None but that occurs in the vendor's kernels.

Not modelled: everything here; each instruction faults with its reason.
"""

from typing import Final

from tilelab.sim.checks import CHECKS, check, fault
from tilelab.sim.errors import (
    MissingSpecificationError,
    NonContractualBehaviorError,
    UnsupportedFunctionalityError,
)
from tilelab.sim.kernel import OK
from tilelab.tensix.arch import ARCHES, ROWS
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


NAMED: Final = {
    CHECKS[code].name: code for code in (LEGACY, UNDOCUMENTED, HISTOGRAM, OVERLAY, RSTDMA, TBUFCMD)
}
"""The checks that a row may name in its column ``refused``."""
REFUSED: Final = {row.opcode: NAMED[row.refused] for row in ROWS if row.refused}
CODES: Final = tuple(REFUSED.get(opcode, OK) for opcode in range(256))
"""By opcode, the check that it fails; a chip either refuses it so or knows it."""


def refused(s: State, t: int, word: int) -> int:
    """Fail the check that the word's row names."""
    opcode = word >> 24
    value = PACR_SETREG.stream_id(word) if opcode == PACR_SETREG else opcode
    return fault(s, CODES[opcode], value)


for _arch in ARCHES.values():
    for _row in _arch.instructions.values():
        if _row.refused:
            assert CODES[_row.opcode] == NAMED[_row.refused]
            semantics(_row.name, (_arch.name,))(refused)
