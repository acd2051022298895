"""All architectural state of a Tensix tile, as one NumPy record and the view kernels use.

Names are the hardware manual's. Conventions, all of them the storage order of the hardware:

- ``src_a``, ``src_b``: 2 banks of 64 rows of 16 data of 19 bits, kept left-aligned in 32 bits
  (sign 31, exponent 30..23, mantissa 22..13).
- ``dst``: 1024 rows of 16 cells of 16 bits, in the register file's own bit order (bf16 is
  sign, 7 mantissa bits, 8 exponent bits; fp16 is sign, 10 mantissa bits, 5 exponent bits).
  A 32-bit row r is made of rows ``((r & 0x1F8) << 1) | (r & 0x207)`` (upper half) and the row 8
  below (lower half). ``dst_valid``: 0 where ZEROACC left the row undefined.
- ``lreg[i, lane]``: the vector unit's registers, 32 lanes. ``lane_flags`` bit l belongs to lane l.
- ``config[bank, word]``, ``thread_config[thread, word]``: see ``tables/config_registers.py``.
"""

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tilelab.sim.checks import FAULT_FIELDS, default_policies
from tilelab.sim.record import Record, aligned_bytes, differences, record_type, view
from tilelab.tensix.arch import ARCHES, Arch
from tilelab.tensix.cycle.causes import FIFO_EMPTY
from tilelab.tensix.cycle.record import cycle_type
from tilelab.tensix.run.stops import STOPS

THREADS, CORES = ARCHES["blackhole"].threads, ARCHES["blackhole"].cores
"""Of both chips that are modelled: TRISC0, TRISC1, TRISC2, BRISC; core i < 3 feeds thread i."""
FIFO_SLOTS = 64

RWC = record_type(
    [(name, "<u4") for name in ("src_a", "src_a_cr", "src_b", "src_b_cr", "dst", "dst_cr")]
    + [("fidelity", "<u4"), ("bias", "<u4")]
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
        ("input_fifo", "<u4", (FIFO_SLOTS,)),
        ("input_origin", "<u8", (FIFO_SLOTS,)),
        ("input_head", "<u4"),
        ("input_count", "<u4"),
        ("late_fifo", "<u4", (FIFO_SLOTS,)),  # after the MOP expander; BRISC's words enter here
        ("late_origin", "<u8", (FIFO_SLOTS,)),
        ("late_head", "<u4"),
        ("late_count", "<u4"),
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

MAILBOX = record_type([("data", "<u4", (4,)), ("head", "<u4"), ("count", "<u4")])


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
        ]
    )


MATRIX_WORK = record_type(
    [
        # operands of products: row k of SrcA's group 0 in lanes 0..15, of group 1 in lanes 16..31
        ("exponent_a", "<i2", (8, 32)),
        ("twice_a", "<i2", (8, 32)),
        ("exponent_b", "<i2", (8, 16)),
        ("bits_b", "<i2", (8, 16)),
        # [row]: sums of products of group 0 in lanes 0..15, of group 1 in lanes 16..31
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
"""The matrix unit's working memory: means nothing between instructions."""


TRACE_SLOTS = 4096
"""Issued instructions that a run notes before it stops for them to be collected."""


def engine_type(threads: int, cores: int) -> np.dtype[Any]:
    """What engines keep about a run; no part of the architecture."""
    return record_type(
        [
            ("vector", "u1"),  # a vector instruction was issued in this round
            ("moved", "u1"),  # something but a core moved in this round
            # the search for cores that only spin, see scheduler.stuck
            ("stale", "<u8"),
            ("next_look", "<u8"),
            ("effects_seen", "<u8"),
            ("seen_pc", "<u4", (cores,)),
            ("seen_retired", "<u8", (cores,)),
            ("seen_x", "<u4", (cores, 32)),
            ("spinning", "u1", (cores,)),
            # what each gate and core last waited for, and counts
            ("gate_wait", "<i4", (threads,)),
            ("core_wait", "<i4", (cores,)),
            ("stalled", "<u8", (threads,)),
            ("issued", "<u8", (threads, 256)),
            # whose word failed a check
            ("fault_thread", "<i4"),
            ("fault_word", "<u4"),
            ("fault_origin", "<u8"),
            ("end", "<u8"),  # clock at which the run ends
            ("attention", "u1"),  # 1 while every round's end is to be looked at, see run.stops
            # words of L1 that stop the run once all have their values
            ("watches", "u1"),
            ("watch_address", "<u4", (8,)),
            ("watch_value", "<u4", (8,)),
            ("trace_on", "u1"),
            ("trace_count", "<u4"),
            ("trace_clock", "<u8", (TRACE_SLOTS,)),
            ("trace_origin", "<u8", (TRACE_SLOTS,)),
            ("trace_word", "<u4", (TRACE_SLOTS,)),
            ("trace_thread", "u1", (TRACE_SLOTS,)),
        ]
    )


@cache
def _state_type(threads: int, cores: int, dst_rows: int, local_ram: int) -> np.dtype[Any]:
    return record_type(
        [
            ("fault", record_type(FAULT_FIELDS)),
            ("frontend", FRONTEND, (threads,)),
            ("rwc", RWC, (threads,)),
            ("adc", ADC, (threads, 3)),  # [thread][unpacker 0, unpacker 1, packer]
            ("semaphore", SEMAPHORE, (8,)),
            ("mutex", "u1", (8,)),  # 0 free, otherwise 1 + owning thread
            ("gpr", "<u4", (threads, 64)),
            ("config", "<u4", (2, 256)),
            ("thread_config", "<u4", (threads, 72)),
            ("src_a", "<u4", (2, 64, 16)),
            ("src_b", "<u4", (2, 64, 16)),
            # AllowedClient of each bank: 0 the unpackers, 1 the matrix unit
            ("src_a_valid", "u1", (2,)),
            ("src_b_valid", "u1", (2,)),
            ("src_a_unpack_bank", "u1"),
            ("src_b_unpack_bank", "u1"),
            ("src_a_matrix_bank", "u1"),
            ("src_b_matrix_bank", "u1"),
            ("src_a_format", "u1", (2,)),  # format each bank was unpacked as (Blackhole)
            ("src_b_format", "u1", (2,)),
            # [unpacker][thread]: ContextCounter, and SrcRow, the first row to write
            ("unpack_context", "u1", (2, threads)),
            ("unpack_src_row", "u1", (2, threads)),
            ("dst", "<u2", (dst_rows, 16)),
            ("dst_valid", "u1", (dst_rows,)),
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
            ("vector_rotated", "<u4", (32,)),  # operand of the last SHFLROR1 (Wormhole only)
            ("load_macro_template", "<u4", (4,)),
            ("load_macro_sequence", "<u4", (4,)),
            ("load_macro_misc", "<u4"),
            # instructions that SFPLOADMACRO scheduled: [sub-unit][delay], bit 8 * sub-unit + delay
            ("load_macro_pending", "<u4"),
            ("load_macro_waits", "<u4"),  # those of them that count instructions, not cycles
            ("load_macro_word", "<u4", (4, 8)),
            ("load_macro_operands", "<u4", (4, 8)),
            ("load_macro_busy", "u1"),  # 1 while anything is pending or late
            # results of scheduled instructions that appear next cycle [0], or the one after [1]
            ("late_value", "<u4", (2, 17, 32)),
            ("late_lanes", "<u4", (2, 17)),
            ("late_swap_lanes", "<u4"),  # of an SFPSWAP whose second cycle is next
            ("late_swap_registers", "<u4"),  # its VC << 8 | VD
            ("late_flags", "<u4"),
            ("late_use_flags", "u1"),
            ("late_flags_valid", "u1"),
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
            ("clock", "<u8"),
            ("effects", "<u8"),  # counts what cores do that threads could notice
            ("private_effects", "<u8"),  # counts changes of cores' own RAM and looks at clocks
            ("engine", engine_type(threads, cores)),
            ("cycle", cycle_type(threads, cores, dst_rows)),
            ("stops", STOPS),
            # kernels' working memory: means nothing between instructions
            ("scratch_a", "<i8", (1024,)),
            ("scratch_b", "<i8", (1024,)),
            ("scratch_c", "<i8", (1024,)),
            ("scratch_d", "<i8", (1024,)),
            ("scratch_32", "<u4", (2048,)),  # data and lanes: half the memory of the others
            ("scratch_signed", "<i4", (32,)),
            ("scratch_matrix", MATRIX_WORK),
        ]
    )


def state_type(arch: Arch) -> np.dtype[Any]:
    """The record of a chip's tile."""
    return _state_type(arch.threads, arch.cores, arch.dst_rows, max(arch.local_ram))


STATE = state_type(ARCHES["blackhole"])
"""Blackhole's. Another chip's has the same parts, of other sizes."""

ALL_CORES_IN_RESET = 0x47800
"""RISCV_DEBUG_REG_SOFT_RESET_0 when the chip powers up (ttsim)."""
PLURALS = {"semaphores": "semaphore", "mutexes": "mutex", "gprs": "gpr", "lregs": "lreg"}
"""Other names under which a part of the state is found."""

OWN_ATTRIBUTES = ("arch", "memory", "record", "l1", "s")
"""What of a TensixState is no part of its record."""
CONTENTS = ("record", "l1")
"""What of these takes over the contents of an array that is assigned to it."""

NOT_ARCHITECTURE = ("scratch", "engine", "cycle", "fault", "stops")
"""How the names of what is no part of the machine begin."""

HEADER_BYTES = 64
"""Room for the addresses of up to 8 buffers, the first one closest to the record."""

CONSTANT_LREGS = {8: 0x3F56594B, 10: 0x3F800000, 11: 0xBF800000, 12: 0x3B000000, 13: 0xBF2CC4C7}


class TensixState:
    """The state: ``record`` (NumPy), ``l1`` (uint8) and ``s``, the view that kernels take."""

    def __init__(self, arch: Arch) -> None:
        self.arch = arch
        layout = state_type(arch)
        # the record is preceded by the addresses that compiled code needs
        self.memory: npt.NDArray[np.uint8] = aligned_bytes(
            HEADER_BYTES + layout.itemsize, HEADER_BYTES
        )
        self.record: Record = self.memory[HEADER_BYTES:].view(layout).reshape(())
        self.l1: npt.NDArray[np.uint8] = aligned_bytes(arch.l1_size)
        self._reset()
        self.s: Any = _KernelView(self)

    def _reset(self) -> None:
        record = self.record
        default_policies(record["fault"]["policy"])
        record["dst_valid"] = 1
        for index, value in CONSTANT_LREGS.items():
            record["lreg"][index] = value
        record["lreg"][14] = 0xBEB08FF9
        record["lreg"][15] = 2 * np.arange(32)
        record["lane_flags"] = 0xFFFFFFFF
        record["use_lane_flags"] = 1
        record["soft_reset"] = ALL_CORES_IN_RESET
        record["cycle"]["order"] = np.arange(self.arch.threads)
        record["cycle"]["mop_bubble"] = record["cycle"]["replay_bubble"] = FIFO_EMPTY

    def __getattr__(self, name: str) -> Any:
        """A part of the state by its name, as a NumPy view: ``state.dst[3]``."""
        name = PLURALS.get(name, name)
        if name in STATE.fields:  # type: ignore[operator]  # a record type has fields
            return self.record[name]
        raise AttributeError(f"the tile's state has no part called {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        part = PLURALS.get(name, name)
        if part in STATE.fields:  # type: ignore[operator]  # as above
            self.record[part] = value
        elif name in CONTENTS and name in self.__dict__:
            self.__dict__[name][...] = value  # the machine keeps its own memory
        elif name in OWN_ATTRIBUTES and name not in self.__dict__:
            super().__setattr__(name, value)
        elif name in OWN_ATTRIBUTES:
            raise AttributeError(f"the tile's {name} cannot be replaced")
        else:
            raise AttributeError(f"the tile's state has no part called {name!r}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(STATE.names or ())]

    def snapshot(self) -> Record:
        """A copy of all registers (not of L1), to compare with later."""
        return self.record.copy()

    def diff(self, before: Record) -> list[tuple[str, int, int]]:
        """What changed in the architecture since a snapshot: ``(name, old, new)``."""
        return [
            change
            for change in differences(before, self.record)
            if not change[0].startswith(NOT_ARCHITECTURE)
        ]

    def config_field(self, name: str, bank: int = 0) -> int:
        """Read a Config field (of a bank) or a ThreadConfig field (of a thread) by name."""
        field = self.arch.config_fields[name]
        words = self.record["config" if field.space == "c" else "thread_config"]
        return (int(words[bank, field.word]) >> field.lo) & ((2 << (field.hi - field.lo)) - 1)

    def set_config_field(self, name: str, value: int, bank: int = 0) -> None:
        """Write a Config or ThreadConfig field by name, with no side effects."""
        field = self.arch.config_fields[name]
        words = self.record["config" if field.space == "c" else "thread_config"]
        mask = ((2 << (field.hi - field.lo)) - 1) << field.lo
        if value << field.lo & ~mask:
            raise ValueError(f"{name}={value} does not fit {field.hi - field.lo + 1} bits")
        words[bank, field.word] = (int(words[bank, field.word]) & ~mask) | value << field.lo


class _KernelView:
    """What kernels call ``s``: the record's view, L1, the chip's constants and field places."""

    def __init__(self, state: TensixState) -> None:
        inner = view(state.record)
        for name in STATE.names or ():
            kind = STATE[name]
            if not (kind.fields is None and kind.shape == ()):
                setattr(self, name, getattr(inner, name))
        self._inner = inner
        self.arch = state.arch
        self.f = state.arch.places
        self.block_mask = state.arch.block_masks()
        self.config_mask = state.arch.config_mask
        memory = state.l1.data
        self.l1 = memory
        self.l1_16 = memory.cast("H")
        self.l1_32 = memory.cast("I")
        self.record_32 = state.memory[HEADER_BYTES:].data.cast("I")


def _delegate(name: str) -> property:
    def read(self: _KernelView) -> int:
        value: int = getattr(self._inner, name)
        return value

    def write(self: _KernelView, value: int) -> None:
        setattr(self._inner, name, value)

    return property(read, write)


for _name in STATE.names or ():
    if STATE[_name].fields is None and STATE[_name].shape == ():
        setattr(_KernelView, _name, _delegate(_name))
