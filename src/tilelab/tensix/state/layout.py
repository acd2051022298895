"""All state of a Tensix tile: what its record holds, and where.

Names are the hardware manual's. Conventions, all of them the storage order of the hardware:

- ``src[0]`` is SrcA, ``src[1]`` SrcB: 2 banks of 64 rows of 16 data of 19 bits, kept left-aligned
  in 32 bits (sign 31, exponent 30..23, mantissa 22..13).
- ``dst``: 1024 rows of 16 cells of 16 bits, in the register file's own bit order (bf16 is
  sign, 7 mantissa bits, 8 exponent bits; fp16 is sign, 10 mantissa bits, 5 exponent bits).
  A 32-bit row r is made of rows ``((r & 0x1F8) << 1) | (r & 0x207)`` (upper half) and the row 8
  below (lower half). ``dst_valid``: 0 where ZEROACC left the row undefined.
- ``vector.lreg[i, lane]``: the vector unit's registers, 32 lanes. Bit l of ``vector.lane_flags``
  belongs to lane l.
- ``config[bank, word]``, ``thread_config[thread, word]``: see ``chips/config_registers.py``.
"""

from functools import cache
from typing import Any

import numpy as np

from tilelab.sim.checks import FAULT_FIELDS
from tilelab.sim.fifo import fifo_type
from tilelab.sim.record import record_type
from tilelab.tensix.arch import ARCHES, Arch
from tilelab.tensix.state.cycle_record import cycle_type
from tilelab.tensix.state.engine_notes import POLL, engine_type
from tilelab.tensix.state.noc_record import NOC
from tilelab.tensix.state.stop_notes import CORE_DEBUG, STOPS
from tilelab.tensix.tables.figures import SEMAPHORES

THREADS, CORES = ARCHES["blackhole"].threads, ARCHES["blackhole"].cores
"""Of both chips: TRISC0, TRISC1, TRISC2, BRISC, NCRISC; core i < 3 feeds thread i."""
FIFO = fifo_type(64, traced=True)
"""The words of a thread's FIFO, and where each comes from (``words/origin.py``)."""

MAILBOX = fifo_type(4)

RWC = record_type(
    [
        ("src", "<u4", (2,)),  # of SrcA, SrcB
        ("src_cr", "<u4", (2,)),
        ("dst", "<u4"),
        ("dst_cr", "<u4"),
        ("fidelity", "<u4"),
        ("bias", "<u4"),
    ]
)
"""One thread's register-window counters (RWCs.md)."""

ADC = record_type(
    [(axis + suffix, "<u4", (2,)) for suffix in ("", "_cr") for axis in ("x", "y", "z", "w")]
)
"""One unit's address counters, ``x[channel]`` and their ``_cr`` copies (ADCs.md)."""

SEMAPHORE = record_type([("value", "u1"), ("max", "u1")])

WAIT = record_type(
    [
        ("kind", "u1"),  # 0 none, 1 STALLWAIT, 2 SEMWAIT
        ("block_mask", "<u2"),
        ("condition_mask", "<u2"),
        ("semaphore_mask", "u1"),
        ("word", "<u4"),  # the instruction itself, for reports
        ("origin", "<u8"),
    ]
)
"""One thread's latched wait instruction (STALLWAIT.md)."""

FRONTEND = record_type(
    [
        ("mop_cfg", "<u4", (9,)),
        ("mask_hi", "<u4"),
        # the MOP under expansion: word, MopCfg snapshot, place in its loops
        ("mop_active", "u1"),
        ("mop_word", "<u4"),
        ("mop_snapshot", "<u4", (9,)),
        ("mop_mask", "<u4"),
        ("mop_outer", "<u4"),
        ("mop_inner", "<u4"),
        ("mop_stage", "<u4"),
        ("mop_emitted", "<u4"),
        ("mop_place", "<u4"),  # of the word emitted last, while a trace is wanted
        ("mop_origin", "<u8"),
        ("replay_buffer", "<u4", (32,)),
        ("replay_mode", "u1"),  # 0 pass, 1 record, 2 record and execute, 3 play back
        ("replay_index", "<u4"),
        ("replay_left", "<u4"),
        ("replay_origin", "<u8"),
        ("input_fifo", FIFO),
        ("late_fifo", FIFO),  # after the MOP expander; BRISC's words enter here
        ("gate_full", "u1"),
        ("gate_word", "<u4"),
        ("gate_origin", "<u8"),
        ("wait", WAIT),
        ("pushed", "<u8"),
        ("expanded", "<u8"),
        ("issued", "<u8"),
    ]
)
"""One thread's frontend: FIFOs, expanders, wait gate."""


def riscv_type(local_ram: int) -> np.dtype[Any]:
    """One RISC-V core, with so many bytes of RAM of its own."""
    return record_type(
        [
            ("x", "<u4", (32,)),
            ("pc", "<u4"),
            ("running", "u1"),
            ("cfg0", "<u4"),
            ("retired", "<u8"),
            ("local_ram", "<u4", (local_ram // 4,)),
            ("debug", CORE_DEBUG),
        ]
    )


SRC = record_type(
    [
        ("data", "<u4", (2, 64, 16)),  # [bank, row, column]
        ("valid", "u1", (2,)),  # AllowedClient of each bank: 0 the unpackers, 1 the matrix unit
        ("unpack_bank", "u1"),  # where the unpackers, and the matrix unit, are
        ("matrix_bank", "u1"),
        ("format", "u1", (2,)),  # that each bank was unpacked as (Blackhole)
    ]
)
"""SrcA or SrcB (SrcASrcB.md)."""

LOAD_MACRO = record_type(
    [
        ("template", "<u4", (4,)),
        ("sequence", "<u4", (4,)),
        ("misc", "<u4"),
        # instructions that SFPLOADMACRO scheduled: [sub-unit][delay], bit 8 * sub-unit + delay
        ("pending", "<u4"),
        ("waits", "<u4"),  # those of them that count instructions, not cycles
        ("word", "<u4", (4, 8)),
        ("operands", "<u4", (4, 8)),
        ("busy", "u1"),  # 1 while anything is pending or late
    ]
)
"""What SFPLOADMACRO is set to, and what it has scheduled (SFPLOADMACRO.md)."""

LATE = record_type(
    [
        ("value", "<u4", (2, 17, 32)),
        ("lanes", "<u4", (2, 17)),
        ("swap_lanes", "<u4"),  # of an SFPSWAP whose second cycle is next
        ("swap_registers", "<u4"),  # its VC << 8 | VD
        ("flags", "<u4"),
        ("use_flags", "u1"),
        ("flags_valid", "u1"),
    ]
)
"""Results of scheduled instructions that appear next cycle [0], or the one after [1]."""

VECTOR = record_type(
    [
        ("lreg", "<u4", (17, 32)),
        ("lane_flags", "<u4"),
        ("use_lane_flags", "u1"),
        ("flag_stack", "<u4", (8,)),
        ("use_flag_stack", "u1", (8,)),
        ("flag_stack_depth", "u1"),
        ("lane_config", "<u4"),
        # columns of lanes whose EXCHANGE_SRCB_SRCC is the opposite of lane_config's
        ("exchange_columns", "u1"),
        ("prng", "<u4", (32,)),
        ("rotated", "<u4", (32,)),  # operand of the last SHFLROR1 (Wormhole only)
        ("load_macro", LOAD_MACRO),
        ("late", LATE),
    ]
)
"""The vector unit."""

MATRIX = record_type(
    [
        # operands of products: rows k and k + 8 of SrcA, columns k and k + 8 of SrcB, in turn
        ("exponent_a", "<i2", (8, 32)),
        ("twice_a", "<i2", (8, 32)),
        ("exponent_b", "<i2", (8, 16)),
        ("bits_b", "<i2", (8, 16)),
        # [row]: each column's sums of products, of SrcA's rows 0 to 7 and 8 to 15, in turn
        ("exponent", "<i2", (8, 32)),
        ("sum", "<i2", (8, 32)),
        # [row]: storage rows of Dst, what they hold, and the lower halves of what they will
        ("at", "<i4", (8,)),
        ("dst_exponent", "<i4", (8, 16)),
        ("dst_twice", "<i4", (8, 16)),
        ("low", "<i4", (8, 16)),
        ("high", "<i4", (16,)),
        ("word_b", "<i4", (8, 16)),  # [row]: SrcB's datums as signed words
    ]
)
"""The matrix unit's working memory: means nothing between instructions.

All else that it works with is others' too: banks of Src, rows of Dst, counters.
"""


SCRATCH = ("scratch_a", "scratch_b", "scratch_c", "scratch_d", "scratch_signed")


@cache
def _layout(threads: int, cores: int, dst_rows: int, local_ram: int) -> np.dtype[Any]:
    return record_type(
        [
            ("fault", record_type(FAULT_FIELDS)),
            ("frontend", FRONTEND, (threads,)),
            ("rwc", RWC, (threads,)),
            ("adc", ADC, (threads, 3)),  # [thread][unpacker 0, unpacker 1, packer]
            ("semaphore", SEMAPHORE, (SEMAPHORES,)),
            ("mutex", "u1", (8,)),  # 0 free, otherwise 1 + owning thread
            ("gpr", "<u4", (threads, 64)),
            ("config", "<u4", (2, 256)),
            ("thread_config", "<u4", (threads, 72)),
            ("src", SRC, (2,)),  # SrcA, SrcB
            # [unpacker][thread]: ContextCounter, and SrcRow, the first row to write
            ("unpack_context", "u1", (2, threads)),
            ("unpack_src_row", "u1", (2, threads)),
            ("dst", "<u2", (dst_rows, 16)),
            ("dst_valid", "u1", (dst_rows,)),
            ("vector", VECTOR),
            # the packers' places within a tile, carried from one PACR to the next (bit: packer);
            # of each: tile position x, y, next byte of data, next byte of exponents
            ("pack_active", "u1"),
            ("pack_position", "<u4", (4, 8)),
            ("riscv", riscv_type(local_ram), (cores,)),
            ("mailbox", MAILBOX, (cores, cores)),  # [to][from]
            ("soft_reset", "<u4"),
            ("trisc_reset_pc", "<u4", (threads,)),
            ("trisc_reset_pc_override", "<u4"),
            ("debug_register", "<u4", (1024,)),
            ("mover_parameter", "<u4", (4,)),  # of the mover's next command (TDMA-RISC.md)
            ("noc", NOC),
            ("clock", "<u8"),
            # what cores do: what threads or the run's end could notice, other words of L1 and GPRs,
            # own RAM and looks at clocks
            ("effects", "<u8"),
            ("l1_effects", "<u8"),
            ("private_effects", "<u8"),
            ("engine", engine_type(threads, cores)),
            ("poll", POLL, (cores,)),
            ("cycle", cycle_type(threads, cores, dst_rows)),
            ("stops", STOPS),
            # kernels' working memory: means nothing between instructions
            ("scratch_a", "<i8", (1024,)),
            ("scratch_b", "<i8", (1024,)),
            ("scratch_c", "<i8", (1024,)),
            ("scratch_d", "<i8", (1024,)),
            ("scratch_32", "<u4", (2048,)),  # data and lanes: half the memory of the others
            ("scratch_signed", "<i4", (32,)),
            ("matrix", MATRIX),
        ],
        # what every program uses is side by side, up to what a trace notes
        last=("poll", "scratch_32", "engine", "src", "dst", *SCRATCH, "matrix", "cycle", "stops"),
    )


def layout_of(arch: Arch) -> np.dtype[Any]:
    """The record of a chip's tile, as kernels see it."""
    return _layout(arch.threads, arch.cores, arch.dst_rows, max(arch.local_ram))


LAYOUT = layout_of(ARCHES["blackhole"])
"""Blackhole's. Another chip's has the same parts, of other sizes."""
