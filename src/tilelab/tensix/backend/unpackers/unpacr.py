"""UNPACR: move data from L1 to SrcA, SrcB or Dst, converting formats.

Unpacker 0 writes SrcA or Dst, unpacker 1 SrcB. The instruction waits while the matrix unit owns
the bank that it would write (for Dst too: SrcA's). Reading is in ``input``, moving a run of data in
``move``, conversion in ``formats``, writing in ``output``, giving banks away in ``banks``.

Source: tt-isa-documentation, UNPACR_Regular.md, UNPACR_IncrementContextCounter.md,
UNPACR_FlushCache.md (the cache is not state, so flushing it does nothing); ttsim for Blackhole's
tilizing rows. The manual's model knows no Last bit (its syntax has 0 there; the simulator takes
only 1): it does nothing here.

Not modelled: compressed tiles, row search, upsampling, SrcB's rarefying and broadcast.
"""

from typing import Final

from tilelab.formats.data_format import FORMAT_BITS
from tilelab.sim.checks import Policy, check, fault, fault2, refuse, refuse2
from tilelab.sim.errors import (
    NonContractualBehaviorError,
    UndefinedBehaviorError,
    UnsupportedFunctionalityError,
)
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.adc import Y_MASK, ZW_MASK
from tilelab.tensix.backend.semantics import BOTH, config, semantics, thread_config
from tilelab.tensix.backend.unpackers.banks import give_src, src_wait, unpack_bank
from tilelab.tensix.backend.unpackers.formats import both_blocks, conversion_exists
from tilelab.tensix.backend.unpackers.input import (
    COMPRESSED,
    CONTEXT,
    CONTEXT_ADC,
    check_exponents,
    check_input,
    check_x_range,
    context_bit,
    data_section,
    first_datum,
    forced_shared_exponent,
    is_uncompressed,
    row_stride,
    tile_base,
    tilize_width,
    unpack_context,
    unpack_formats,
)
from tilelab.tensix.backend.unpackers.move import move_run
from tilelab.tensix.backend.unpackers.output import (
    TO_DST,
    TO_SRC_A,
    TO_SRC_B,
    check_output,
    output_datum,
)
from tilelab.tensix.state.records import State

RUN: Final = 1024
"""Data converted at a time, where rows are contiguous."""

ROW_SEARCH = check(
    "unpacr-row-search",
    UnsupportedFunctionalityError,
    "UNPACR's row search is not modelled (field value {value})",
    page="UNPACR_Regular.md",
)
SRC_B_MODE = check(
    "unpacr-srcb-mode",
    UnsupportedFunctionalityError,
    "UNPACR's rarefying and broadcast of SrcB are not modelled (field value {value})",
    page="UNPACR_Regular.md",
)
CONVERSION = check(
    "unpack-conversion",
    UndefinedBehaviorError,
    "the unpackers cannot convert format {value} in L1 to format {value2} in this destination",
    page="UNPACR_Regular.md",
    cure="choose formats that convert; if the policy lets it pass, zeros are written",
    policy=Policy.ERROR,
)
NO_FORMAT = check(
    "unpack-no-format",
    UndefinedBehaviorError,
    "there is no such data format: {value} in L1, {value2} in the registers",
    page="UNPACR_Regular.md",
)
BLOCK_FORMATS = check(
    "unpack-block-formats",
    UndefinedBehaviorError,
    "block format {value} in L1, but OutDataFormat is another block format",
    page="UNPACR_Regular.md",
    cure="give both one format; if the policy lets it pass, OutDataFormat is ignored",
    policy=Policy.ERROR,
)
BLOCK_WIDTHS = check(
    "unpack-block-widths",
    UndefinedBehaviorError,
    "block format {value} in L1, OutDataFormat is another block format, which has no meaning",
    page="UNPACR_Regular.md",
    cure="give both one format",
    policy=Policy.WARN,
)
UPSAMPLE = check(
    "unpack-upsample",
    UnsupportedFunctionalityError,
    "upsampling is not modelled (Upsample_rate {value})",
    page="UNPACR_Regular.md",
)
OUTPUT_STRIDE = check(
    "unpack-output-stride",
    UndefinedBehaviorError,
    "output address {value} is not a multiple of the datum's size",
    page="UNPACR_Regular.md",
)
B_TRANSPOSED = check(
    "unpack-srcb-transposed",
    NonContractualBehaviorError,
    "unpacker 1 does not transpose, though Haloize_mode is {value}",
    page="UNPACR_Regular.md",
    policy=Policy.ERROR,
)


@kernel
def next_context(s: State, t: int, u: int, context: int) -> int:
    """Set the context counter past ``context``, modulo the number of contexts; returns 0."""
    following = context + 1
    if following >= 1 << config(s, t, s.f.THCON_SEC_REG2_Context_count[u]):
        following = 0
    s.unpack_context[u, t] = following
    return OK


@kernel
def advance(s: State, t: int, u: int, increments: int) -> None:
    """Advance a thread's Y and Z counters by UNPACR's increments; returns 0."""
    s.adc[t][u].z[0] = (s.adc[t][u].z[0] + (increments & 3)) & ZW_MASK
    s.adc[t][u].y[0] = (s.adc[t][u].y[0] + (increments >> 2 & 3)) & Y_MASK
    s.adc[t][u].z[1] = (s.adc[t][u].z[1] + (increments >> 4 & 3)) & ZW_MASK
    s.adc[t][u].y[1] = (s.adc[t][u].y[1] + (increments >> 6 & 3)) & Y_MASK


@kernel
def unpack_target(s: State, t: int, u: int, multi: int, context: int) -> int:
    """SrcA, SrcB or Dst."""
    if u:
        return TO_SRC_B
    to_dst = config(s, t, s.f.THCON_SEC0_REG2_Unpack_If_Sel)
    if multi:
        to_dst = context_bit(s, t, u, context, 4)
    return TO_DST if to_dst else TO_SRC_A


@kernel
def column_shift(s: State, t: int, u: int, context: int) -> int:
    """Columns that unpacker 0 drops from the left of every row."""
    if u or config(s, t, s.f.THCON_SEC_REG2_Tileize_mode[u]):
        return 0
    place = s.f.THCON_SEC0_REG2_Shift_amount_cntx0
    return config(s, t, place + ((context & 3) << 10))


@kernel
def check_conversion(s: State, in_format: int, out_format: int, to_dst: int) -> tuple[int, int]:
    """``(code, whether zeros are written instead)``: whether data can be converted so."""
    if conversion_exists(in_format, out_format, to_dst):
        return OK, 0
    if both_blocks(in_format, out_format) and s.arch.unpack_mixes_blocks:
        return (BLOCK_WIDTHS if refuse(s, BLOCK_WIDTHS, in_format) else OK), 0
    if both_blocks(in_format, out_format):
        return (BLOCK_FORMATS if refuse(s, BLOCK_FORMATS, in_format) else OK), 0
    if FORMAT_BITS[in_format] == 0 or FORMAT_BITS[out_format] == 0:
        return fault2(s, NO_FORMAT, in_format, out_format), 0
    return OK, 1


@kernel
def move_all(
    s: State,
    t: int,
    u: int,
    target: int,
    formats: int,
    bit_address: int,
    exponents: int,
    output: int,
    count: int,
    zero: int,
    transpose: int,
    shift: int,
) -> int:
    """Move data run by run, see :func:`move_run`: a row at a time if it tilizes; returns OK."""
    bits = FORMAT_BITS[formats >> 4]
    tilize = config(s, t, s.f.THCON_SEC_REG2_Tileize_mode[u])
    run = tilize_width(s, bits) if tilize else RUN
    step = row_stride(s, t, u) << 3 if tilize else run * bits
    s.cycle.work = (count * bits + 7) >> 3
    s.cycle.rows = (count + run - 1) // run if tilize else 0
    done = 0
    while done < count:
        n = run if count - done > run else count - done
        move_run(
            s, t, u, target, formats, bit_address, exponents, output, n, zero, transpose, shift
        )
        bit_address += step
        exponents += n if exponents >= 0 else 0
        output += n
        done += n
    return OK


@kernel
def unpack(
    s: State,
    t: int,
    u: int,
    adc_thread: int,
    multi: int,
    context: int,
    target: int,
    transpose: int,
    zero: int,
) -> int:
    """Check and move all data of an UNPACR; OK or a check's code."""
    in_format, out_format = unpack_formats(s, t, u, multi, context)
    to_dst = 1 if target == TO_DST else 0
    code, as_zeros = check_conversion(s, in_format, out_format, to_dst)
    if code != OK:
        return code
    if as_zeros and not zero:
        if refuse2(s, CONVERSION, in_format, out_format):
            return CONVERSION
        zero = 1
    if config(s, t, s.f.THCON_SEC_REG2_Upsample_rate[u]):
        return fault(s, UPSAMPLE, config(s, t, s.f.THCON_SEC_REG2_Upsample_rate[u]))
    code = check_x_range(s, u, adc_thread)
    if code != OK:
        return code
    count = s.adc[adc_thread][u].x[1] - s.adc[adc_thread][u].x[0] + 1
    bits = FORMAT_BITS[in_format]
    forced = config(s, t, s.f.THCON_SEC_REG2_Force_shared_exp[u])
    base = tile_base(s, t, u, context)
    first = first_datum(s, t, u, adc_thread, multi, context)
    exponents = (base << 4) + first
    base += data_section(s, t, u, multi, context, in_format, forced)
    bit_address = (base << 3) + first * bits
    code = check_input(s, t, u, bit_address, bits, count, row_stride(s, t, u), transpose)
    if code != OK:
        return code
    code = check_exponents(s, t, u, in_format, exponents, count, forced)
    if code != OK:
        return code
    if forced:
        exponents = -1 - forced_shared_exponent(s, t, u)
    size = (FORMAT_BITS[out_format] + 7) >> 3
    output = output_datum(s, t, u, multi, context, to_dst, size)
    if output < 0:
        return fault(s, OUTPUT_STRIDE, -1 - output)
    shift = column_shift(s, t, u, context)
    code = check_output(s, t, target, output, count, bits, transpose, shift)
    if code != OK:
        return code
    formats = in_format << 4 | out_format
    return move_all(
        s, t, u, target, formats, bit_address, exponents, output, count, zero, transpose, shift
    )


@kernel
def unpacr_regular(
    s: State,
    t: int,
    u: int,
    increments: int,
    number: int,
    context_adc: int,
    multi: int,
    give: int,
    zero: int,
    use_counter: int,
) -> int:
    """UNPACR in its regular mode, its bits already checked."""
    context = unpack_context(s, t, u, multi, number, use_counter)
    adc_thread = context_adc if multi else t
    if u and context > 1:
        return fault(s, CONTEXT, context)
    if adc_thread > 2:
        return fault(s, CONTEXT_ADC, adc_thread)
    bank = unpack_bank(s, u)
    code = src_wait(s, u, bank)
    if code != OK:
        return code
    if not is_uncompressed(s, t, u, multi, context):
        return fault(s, COMPRESSED, context)
    transpose = config(s, t, s.f.THCON_SEC_REG2_Haloize_mode[u])
    if transpose and u:
        if refuse(s, B_TRANSPOSED, transpose):
            return B_TRANSPOSED
        transpose = 0
    target = unpack_target(s, t, u, multi, context)
    code = unpack(s, t, u, adc_thread, multi, context, target, transpose, zero)
    if code != OK:
        return code
    if multi and use_counter:
        next_context(s, t, u, context)
    advance(s, t, u, increments)
    if adc_thread != t:
        advance(s, adc_thread, u, increments)
    if give:
        _, out_format = unpack_formats(s, t, u, multi, context)
        give_src(s, t, u, out_format)
    elif config(s, t, s.f.THCON_SEC_REG2_Unpack_Src_Reg_Set_Upd[u]):
        base = thread_config(s, t, s.f.SRC_SET_Base[u])
        row = s.unpack_src_row[u, t] + 16 + (base << 4)
        s.unpack_src_row[u, t] = row & 63
    return OK


@kernel
def check_bits(s: State, src_b_mode: int, row_search: int) -> int:
    """Check the bits of an UNPACR that select what is not modelled."""
    if src_b_mode:
        return fault(s, SRC_B_MODE, src_b_mode)
    if row_search:
        return fault(s, ROW_SEARCH, row_search)
    return OK


@semantics("UNPACR", BOTH, called={"rareb_en": "srcb_bcast"})
def unpacr(
    s: State,
    t: int,
    unpack_block_selection: int,
    addr_mode: int,
    cfg_context_cnt_inc: int,
    cfg_context_id: int,
    addr_cnt_context_id: int,
    ovrd_thread_id: int,
    set_dat_valid: int,
    srcb_bcast: int,
    zero_write2: int,
    auto_inc_context_id: int,
    row_search: int,
    search_cache_flush: int,
    last: int,
) -> int:
    """Move data from L1 to SrcA, SrcB or Dst (UNPACR.md)."""
    u = unpack_block_selection
    if search_cache_flush:
        return OK
    if cfg_context_cnt_inc:
        return next_context(s, t, u, s.unpack_context[u, t])
    code = check_bits(s, srcb_bcast, row_search)
    if code != OK:
        return code
    return unpacr_regular(
        s,
        t,
        u,
        addr_mode,
        cfg_context_id,
        addr_cnt_context_id,
        ovrd_thread_id,
        set_dat_valid,
        zero_write2,
        auto_inc_context_id,
    )
