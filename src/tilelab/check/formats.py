"""Whether unpackers and packers take an array's tiles for what they are.

``kernel.toml`` says which format each array and each circular buffer has. An unpacker or a packer
that is set for data of another width, with or without shared exponents, or for the other family of
floats, reads or writes nonsense: the init or reconfiguration was of another buffer. Integers and
floats of one width are not told apart: kernels copy bits.

And whether the matrix unit takes what an unpacker has put into SrcA or SrcB for what it is, where
configuration says so (on Blackhole a bank implies it): it may cut no bits off, and not take numbers
with exponents of 5 bits for others.

Source: tt-isa-documentation, Unpackers/FormatConversion.md, Packers/FormatConversion.md,
SrcASrcB.md.
"""

from typing import Final

from tilelab.check import places, shadow
from tilelab.check.accesses import report, report_of
from tilelab.check.shadow import ARRAYS, GRANULE_SHIFT
from tilelab.check.view import Checking
from tilelab.check.watch import Watch
from tilelab.formats.data_format import FORMAT_BITS, SHARED_EXPONENT_BITS, DataFormat
from tilelab.kernels.descriptors import NUMBERS
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend import src_registers
from tilelab.tensix.backend.semantics import thread_config
from tilelab.tensix.backend.src_registers import BF16, STYLE_OF_FORMAT, TF32
from tilelab.tensix.backend.unpackers import unpacr
from tilelab.tensix.chips.opcodes import MOVD2A, UNPACR

WATCH = Watch("formats of tiles")
CODES: Final = {
    **{name: DataFormat(number & 15) for name, number in NUMBERS.items()},
    **dict.fromkeys(("fp8_e5m2", "fp8_e4m3"), DataFormat.FP8),
}
"""What the units call the formats that arrays have: the low four bits of the vendor's numbers."""
assert DataFormat.BF16 ^ DataFormat.FP16 == DataFormat.TF32

WATCH.field("kind_format", "u1", (256,))  # 1 + the format of an array; 0: unknown
WATCH.field("unpack_format", "u1")


def told(tile: places.Noted, value: int) -> str:
    """An array, what it holds, and what it is taken for."""
    number, code = value >> 4, value & 15
    held = tile.engine.arrays[number - shadow.ARRAYS].format
    return f"{places.array(tile, number)}, which holds {held}, as {DataFormat(code).name}"


OTHER_FORMAT: Final = WATCH.rule(
    "tile-other-format",
    NonContractualBehaviorError,
    "takes a tile of {where}",
    "",
    "Unpackers/FormatConversion.md",
    "name the buffer whose tiles are moved in the init, or reconfigure the format in between",
    place=told,
)


def taken_for(tile: places.Noted, value: int) -> str:
    """SrcA or SrcB, what is in it, and what that is taken for."""
    held, code = (DataFormat(value >> shift & 15).name for shift in (4, 0))
    return f"{places.SRCS[value >> 8]}, unpacked as {held}, for {code}"


SRC_FORMAT: Final = WATCH.rule(
    "src-other-format",
    NonContractualBehaviorError,
    "takes {where}",
    "unpacked it",
    "SrcASrcB.md",
    "tell the matrix unit of the new format, too, where the unpackers are told (tt-llk#736)",
    place=taken_for,
)


@WATCH.at(src_registers.format_for)
@kernel
def takes_for(s: Checking, t: int, which: int, ruling: int) -> int:
    """The matrix unit asks for the format of its bank of SrcA or SrcB."""
    c = s.shadow
    bank = s.src[which].matrix_bank
    given = c.given[which][bank]
    disabled = thread_config(s, t, s.f.DISABLE_IMPLIED_SRC_FMT_Base[which])
    if (s.arch.implied_src_format and not disabled) or which != ruling or c.word >> 24 == MOVD2A:
        return OK
    held = c.src_holds[which, bank] & 15
    code = src_registers.configured_format(s, t, which)
    style = STYLE_OF_FORMAT[held]
    taken = STYLE_OF_FORMAT[code]
    if given.word >> 24 != UNPACR or style == taken or (style == BF16 and taken == TF32):
        return OK  # or by UNPACR_NOP: with nothing
    return report_of(s, SRC_FORMAT, which << 8 | held << 4 | code, given)


@WATCH.at(unpacr.check_conversion)
@kernel
def converts(s: Checking, in_format: int, out_format: int, to_dst: int) -> None:
    """An unpacker is about to read data of a format."""
    s.shadow.unpack_format = in_format


@kernel
def compares(s: Checking, address: int, code: int) -> int:
    """Data of a format are read or written at an address."""
    if address >= s.arch.l1_size:
        return OK
    kind = s.shadow_kind[address >> GRANULE_SHIFT]
    if kind < ARRAYS or s.shadow.kind_format[kind] == 0:
        return OK
    held = s.shadow.kind_format[kind] - 1
    apart = held ^ code
    same = FORMAT_BITS[held] == FORMAT_BITS[code]
    if same and SHARED_EXPONENT_BITS[held] == SHARED_EXPONENT_BITS[code]:
        if apart != DataFormat.TF32 or FORMAT_BITS[held] != 16:
            return OK
    return report(s, OTHER_FORMAT, kind << 4 | code, 0)
