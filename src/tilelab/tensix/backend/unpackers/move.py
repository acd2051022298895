"""Moves one run of data: read from L1, convert, write to SrcA, SrcB or Dst.

Source: tt-isa-documentation, UNPACR_Regular.md.
"""

from tilelab.formats.data_format import FORMAT_BITS, SHARED_EXPONENT_BITS
from tilelab.sim.kernel import kernel
from tilelab.tensix.backend.l1_access import l1_read_run
from tilelab.tensix.backend.semantics import config
from tilelab.tensix.backend.src_registers import SRC_A, SRC_B
from tilelab.tensix.backend.unpackers.formats import EXPONENTS, convert_run
from tilelab.tensix.backend.unpackers.output import (
    TO_DST,
    TO_SRC_B,
    store_dst,
    store_src,
    store_src_a,
)
from tilelab.tensix.state.records import State


@kernel
def take_exponents(s: State, exponents: int, n: int) -> None:
    """Put the exponent of each of ``n`` data at EXPONENTS of ``scratch_32``; returns 0.

    ``exponents`` is as :func:`move_run` has it. A whole block is written if only a part is needed.
    """
    for block in range((n + 15) >> 4):
        at = EXPONENTS + 16 * block
        if exponents < 0:
            for i in range(16):
                s.scratch_32[at + i] = -1 - exponents
        elif exponents & 15:
            for i in range(16):
                s.scratch_32[at + i] = s.l1[(exponents + 16 * block + i) >> 4]
        else:
            exponent = s.l1[(exponents >> 4) + block]
            for i in range(16):
                s.scratch_32[at + i] = exponent


@kernel
def move_run(
    s: State,
    t: int,
    u: int,
    target: int,
    formats: int,
    bit_address: int,
    exponents: int,
    output: int,
    n: int,
    zero: int,
    transpose: int,
    shift: int,
) -> None:
    """Read, convert and write ``n`` data, or with ``zero`` write zeros.

    ``formats`` is L1's in bits 7:4 and the registers'.

    ``exponents``: address of the first exponent in sixteenths of a byte, or -1 - the one to use.
    """
    in_format, out_format = formats >> 4, formats & 15
    if zero:
        for i in range(n):
            s.scratch_32[i] = 0
    else:
        l1_read_run(s, bit_address, FORMAT_BITS[in_format], n)
        if SHARED_EXPONENT_BITS[in_format]:
            take_exponents(s, exponents, n)
        convert_run(
            s,
            in_format,
            out_format,
            1 if target == TO_DST else 0,
            n,
            config(s, t, s.f.THCON_SEC_REG1_Unp_LF8_4b_exp[u]),
            config(s, t, s.f.ALU_FORMAT_SPEC_REG0_SrcUnsigned[u]),
        )
    if target == TO_DST:
        store_dst(s, output, n, FORMAT_BITS[out_format])
        return
    if target == TO_SRC_B:
        store_src(s, SRC_B, output, n, s.unpack_src_row[SRC_B, t], 0)
        return
    store_src_a(s, output, n, s.unpack_src_row[SRC_A, t], transpose, shift)
