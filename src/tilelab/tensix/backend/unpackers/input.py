"""Where an UNPACR reads: context, tile descriptor, first datum, exponents, number of data.

Source: tt-isa-documentation, UNPACR_Regular.md. A tile in L1 is a header of 16 bytes (more with
DigestSize), then for block formats one exponent byte for 16 data, padded to 16 bytes, then the
data in the order X, Y, Z, W. Contexts choose among base addresses (``Base_cntx``) and more.

Not modelled: compressed tiles, and the wrap of a circular buffer in the middle of a tile.
"""

from tilelab.formats.data_format import FORMAT_BITS, SHARED_EXPONENT_BITS
from tilelab.sim.checks import check, fault, fault2
from tilelab.sim.errors import (
    UndefinedBehaviorError,
    UnimplementedFunctionalityError,
    UnsupportedFunctionalityError,
)
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.l1_access import l1_check
from tilelab.tensix.backend.semantics import config, config_bank, thread_config
from tilelab.tensix.state.records import State

COMPRESSED = check(
    "unpack-compressed",
    UnsupportedFunctionalityError,
    "unpacking compressed data is not modelled (context {value})",
    page="UNPACR_Regular.md",
    cure="set Disable_zero_compress of the context (IsUncompressed of the tile descriptor)",
)
CONTEXT = check(
    "unpack-context",
    UndefinedBehaviorError,
    "unpacker 1 has contexts 0 and 1 only, not {value}",
    page="UNPACR_Regular.md",
)
CONTEXT_ADC = check(
    "unpack-context-adc",
    UndefinedBehaviorError,
    "no thread has number {value}, so its address counters cannot be used",
    page="UNPACR_Regular.md",
)
X_RANGE = check(
    "unpack-x-range",
    UnsupportedFunctionalityError,
    "the first datum to unpack, X={value}, is past the last one, X={value2}",
    page="UNPACR_Regular.md",
    cure="set the unpacker's X counters with SETADCXX",
)
WRAP = check(
    "unpack-fifo-wrap",
    UnimplementedFunctionalityError,
    "the tile runs over the limit of its circular buffer (byte {value:#x}); no wrap is modelled",
    page="UNPACR_Regular.md",
)
TILIZE_FORMAT = check(
    "unpack-tilize-format",
    UndefinedBehaviorError,
    "a tilizing unpack needs data of whole bytes, not format {value}",
    page="UNPACR_Regular.md",
)
UNALIGNED = check(
    "unpack-unaligned",
    UndefinedBehaviorError,
    "a transposing or tilizing unpack must start on 16 bytes, not at bit {value:#x} of L1",
    page="UNPACR_Regular.md",
)
EXPONENT_RANGE = check(
    "unpack-exponent-range",
    UndefinedBehaviorError,
    "shared exponent {value} of a BFPa block does not fit 5 bits",
    page="UNPACR_Regular.md",
)


@kernel
def word(s: State, t: int, place: int, offset: int) -> int:
    """The Config word that is ``offset`` words after a field's, from the bank in use."""
    return s.config[config_bank(s, t), (place >> 16) + offset]


@kernel
def unpack_context(s: State, t: int, u: int, multi: int, number: int, use_counter: int) -> int:
    """The configuration context of an UNPACR, 0..7."""
    if not multi:
        return 0
    place = s.f.UNPACK_MISC_CFG_CfgContextOffset_1 if u else s.f.UNPACK_MISC_CFG_CfgContextOffset_0
    if use_counter:
        number = s.unpack_context[u, t]
    return (number + thread_config(s, t, place)) & 7


@kernel
def context_bit(s: State, t: int, u: int, context: int, first: int) -> int:
    """A bit of REG2's per-context flags: contexts 0..3 from bit ``first``, 4..7 from 16 above."""
    flags = word(s, t, s.f.THCON_SEC_REG2_Disable_zero_compress_cntx0[u], 0)
    return (flags >> (first + (context & 3) + 16 * (context >> 2))) & 1


@kernel
def context_half(s: State, t: int, place: int, context: int) -> int:
    """One of four 16-bit values in two words, by context modulo 4."""
    return (word(s, t, place, context >> 1 & 1) >> (16 * (context & 1))) & 0xFFFF


@kernel
def is_uncompressed(s: State, t: int, u: int, multi: int, context: int) -> int:
    """1 if the tile is not compressed."""
    if multi:
        return context_bit(s, t, u, context, 0)
    return word(s, t, s.f.THCON_SEC_REG0_TileDescriptor[u], 0) >> 4 & 1


@kernel
def unpack_formats(s: State, t: int, u: int, multi: int, context: int) -> tuple[int, int]:
    """The formats in L1 and in the registers."""
    if multi and config(s, t, s.f.THCON_SEC_REG2_Ovrd_data_format[u]):
        formats = word(s, t, s.f.THCON_SEC_REG7_Offset_address[u], context & 3)
        formats >>= 16 + 8 * (context >> 2)
        return formats & 15, formats >> 4 & 15
    in_format = word(s, t, s.f.THCON_SEC_REG0_TileDescriptor[u], 0) & 15
    return in_format, config(s, t, s.f.THCON_SEC_REG2_Out_data_format[u])


@kernel
def tile_base(s: State, t: int, u: int, context: int) -> int:
    """Byte address of what follows the tile's header."""
    base = word(s, t, s.f.THCON_SEC_REG3_Base_address[u], context)
    offset = word(s, t, s.f.THCON_SEC_REG7_Offset_address[u], context & 3) & 0xFFFF
    digest = word(s, t, s.f.THCON_SEC_REG0_TileDescriptor[u], 3) >> 24
    return ((base + offset + 1 + digest) & 0xFFFFFFF) << 4


@kernel
def tile_dimensions(
    s: State, t: int, u: int, multi: int, context: int
) -> tuple[int, int, int, int]:
    """X, Y, Z, W extents of the tile in L1, in data."""
    place = s.f.THCON_SEC_REG0_TileDescriptor[u]
    x = word(s, t, place, 0) >> 16
    if multi and u == 0:
        x = context_half(s, t, s.f.THCON_SEC_REG5_Tile_x_dim_cntx0[u], context)
    yz = word(s, t, place, 1)
    z = yz >> 16 & 0xFF
    w = word(s, t, place, 2) & 0xFF
    return x, yz & 0xFF, z if z else 1, w if w else 1


@kernel
def row_stride(s: State, t: int, u: int) -> int:
    """Bytes from one row of a tilizing read to the next; 0 if the unpacker does not tilize."""
    if not config(s, t, s.f.THCON_SEC_REG2_Tileize_mode[u]):
        return 0
    shifts = word(s, t, s.f.THCON_SEC_REG2_Out_data_format[u], 0) >> 16
    return (shifts & 0xFFF) << 4


@kernel
def check_input(
    s: State, t: int, u: int, bit_address: int, bits: int, count: int, stride: int, transpose: int
) -> int:
    """Check alignment and bounds of all that an UNPACR reads as data."""
    tilize = config(s, t, s.f.THCON_SEC_REG2_Tileize_mode[u])
    if tilize and bits < 8:
        return fault(s, TILIZE_FORMAT, bits)
    if (tilize or transpose) and bit_address & 127:
        return fault(s, UNALIGNED, bit_address)
    end = (bit_address + bits * count + 7) >> 3
    if tilize:
        width = tilize_width(s, bits)
        last_row = (count - 1) // width
        end = (bit_address >> 3) + stride * last_row + (count - last_row * width) * bits // 8
    code = l1_check(s, bit_address >> 3, end)
    if code != OK:
        return code
    fifo = config(s, t, s.f.THCON_SEC_REG2_Unpack_fifo_size[u])
    if fifo and end > config(s, t, s.f.THCON_SEC_REG2_Unpack_limit_address[u]) << 4:
        return fault(s, WRAP, end)
    return OK


@kernel
def tilize_width(s: State, bits: int) -> int:
    """Data that a tilizing read takes from one row."""
    width = s.arch.tilize_row_data
    return width if bits > 8 else 16


@kernel
def data_section(
    s: State, t: int, u: int, multi: int, context: int, in_format: int, forced_exponent: int
) -> int:
    """Bytes between the tile's header and its first datum: the exponents, if there are any."""
    if not SHARED_EXPONENT_BITS[in_format] or forced_exponent:
        return 0
    if FORMAT_BITS[in_format] < 8:
        if word(s, t, s.f.THCON_SEC_REG0_TileDescriptor[u], 0) >> 5 & 1:
            return 0
    x, y, z, w = tile_dimensions(s, t, u, multi, context)
    exponents = (x * y * z * w + 15) >> 4
    return (exponents + 15) & ~15


@kernel
def check_exponents(
    s: State, t: int, u: int, in_format: int, first: int, count: int, forced_exponent: int
) -> int:
    """Check the exponents of a block format: in L1, and of 5 bits where they must be.

    ``first`` is the address of the first exponent in sixteenths of a byte.
    """
    width = SHARED_EXPONENT_BITS[in_format]
    if not width:
        return OK
    if forced_exponent:
        value = forced_shared_exponent(s, t, u)
        if width == 5 and value > 31:
            return fault(s, EXPONENT_RANGE, value)
        return OK
    code = l1_check(s, first >> 4, ((first + count - 1) >> 4) + 1)
    if code != OK:
        return code
    if width == 5:
        for at in range(first >> 4, ((first + count - 1) >> 4) + 1):
            if s.l1[at] > 31:
                return fault(s, EXPONENT_RANGE, s.l1[at])
    return OK


@kernel
def forced_shared_exponent(s: State, t: int, u: int) -> int:
    """The one exponent of all data, where Force_shared_exp says so."""
    return config(s, t, s.f.UNP_FORCED_SHARED_EXP_shared_exp[u])


@kernel
def first_datum(s: State, t: int, u: int, adc_thread: int, multi: int, context: int) -> int:
    """Index within the tile of the first datum, from channel 0's counters."""
    x, y, z, _ = tile_dimensions(s, t, u, multi, context)
    plane = s.adc[t][u].w[0] * z + s.adc[t][u].z[0]
    row = plane * y + s.adc[adc_thread][u].y[0]
    x_start = s.adc[adc_thread][u].x[0]
    return row * x + x_start


@kernel
def check_x_range(s: State, u: int, adc_thread: int) -> int:
    """Check that the X counters name at least one datum."""
    if s.adc[adc_thread][u].x[0] > s.adc[adc_thread][u].x[1]:
        return fault2(s, X_RANGE, s.adc[adc_thread][u].x[0], s.adc[adc_thread][u].x[1])
    return OK
