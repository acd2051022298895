"""The builders (R46, R75 to R77), on the seed's examples; and what they do on a tile (T14, T16)."""

from dataclasses import dataclass

import pytest

from tilelab.kernels.ckernel import (
    ExpandedStream,
    Stream,
    ckernel_template,
    ckernel_unpack_template,
    lltt,
    load_replay_buf,
    mop,
    mop_cfg,
    recording,
)
from tilelab.sim.errors import BadInputError
from tilelab.tensix import Tile
from tilelab.tensix.frontend.expand import thread_expander
from tilelab.tensix.frontend.fifo import mop_pending
from tilelab.tensix.ops import TT_OP_MVMUL, TT_OP_SETC16, TT_OP_SETRWC

A, B, C, D, E = (0x37000000 + i for i in range(5))
NOP = 0x02000000


def stream() -> ExpandedStream:
    return ExpandedStream(thread_expander("blackhole"))


def words(expanded: ExpandedStream) -> list[int]:
    return [item.word for item in expanded.words]


def test_words() -> None:
    assert mop(1, 0, 0) == 0x01800000
    assert mop(0, 127, 0xFFFF) == 0x017FFFFF
    assert mop_cfg(0xABCD) == 0x0300ABCD
    assert lltt.replay_insn(16, 16) == 0x04040100
    for bad in (lambda: mop(2, 0, 0), lambda: mop(0, 128, 0), lambda: mop_cfg(-1)):
        with pytest.raises(BadInputError, match="does not fit"):
            bad()


def test_r76_a_template_starts_with_its_own_op_at_the_end() -> None:
    assert ckernel_template(2, 3, A).registers() == [2, 3, NOP, NOP, NOP, A, NOP, A, A]
    assert ckernel_template(2, 3, A, B).registers() == [2, 3, NOP, NOP, NOP, A, B, B, B]


def test_r76_setters_and_run() -> None:
    template = ckernel_template(2, 2, A)
    template.set_start_op(B)
    template.set_end_ops(C, D)
    template.set_last_inner_loop_instr(E)
    template.set_last_outer_loop_instr(B)
    assert template.registers() == [2, 2, B, C, D, A, NOP, B, E]
    out = stream()
    template.program(out)
    template.run(out)
    assert words(out) == [B, A, E, C, D, B, A, B, C, D]
    template.set_end_op(C)
    assert template.registers()[3:5] == [C, NOP]
    with pytest.raises(BadInputError, match="128 does not fit 7 bits"):
        ckernel_template(128, 1, A)


def test_r77_an_unpack_template() -> None:
    template = ckernel_unpack_template(True, True, A, B, C, D, skip_a_instr=E, b_instr=NOP)
    assert template.registers() == [3, NOP, A, B, C, D, E, NOP]
    out = stream()
    template.program(out)
    template.run(out, 2, 0b10)
    assert words(out) == [A, B, C, D, NOP, E, NOP]


def test_r77_without_a_mask_the_upper_half_is_what_it_was() -> None:
    template = ckernel_unpack_template(False, False, A, skip_a_instr=E)
    out = stream()
    template.program(out)
    template.run(out, 17, 0xFFFF0000)
    out.words.clear()
    template.run(out, 17)
    assert words(out) == [A] * 16 + [E]


def test_r46_recording_and_playing_back() -> None:
    out = stream()

    def body(s: Stream) -> None:
        s.push(A)
        s.push(B)

    load_replay_buf(out, 16, 2, body)
    assert words(out) == []
    lltt.replay(out, 16, 2)
    assert words(out) == [A, B]
    with recording(out, 0, 1, execute=True) as recorder:
        recorder.push(C)
    assert words(out) == [A, B, C]
    with pytest.raises(BadInputError, match="1 words were pushed to record 2"):
        load_replay_buf(out, 0, 2, lambda s: s.push(A))


@dataclass
class TileStream:
    """A stream into one thread of a tile."""

    tile: Tile
    thread: int = 1

    def push(self, word: int) -> None:
        """Push an instruction word, running the tile while the FIFO is full."""
        self.tile.push(word, self.thread)

    def write_mop_cfg(self, index: int, value: int) -> None:
        """Write one MopCfg register."""
        self.tile.write_mop_cfg(index, value, self.thread)

    def mop_sync(self) -> None:
        """Run the tile until no MOP of the thread is queued or expanding."""
        s, t = self.tile.state.s, self.thread
        self.tile.run(until=lambda _: not mop_pending(s, t))


LOFI_TRACE = (
    "(0,0,0)(0,8,8)(16,0,16)(16,8,24)(0,32,32)(0,40,40)(16,32,48)(16,40,56)"
    "(32,16,0)(32,24,8)(48,16,16)(48,24,24)(32,48,32)(32,56,40)(48,48,48)(48,56,56)"
)
ADDR_MODS = {12: 0x0800, 28: 8, 13: 0x4010, 29: 8, 14: 0x6040, 30: 8}
ADDR_MODS |= {16: 0x7060, 32: 0x400, 17: 0xC0C0, 33: 0x2C00}
SEQUENCE = (0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5)


def matmul_tile() -> tuple[Tile, TileStream, list[tuple[int, ...]]]:
    """A tile with valid banks that notes the counters after each MVMUL."""
    tile = Tile(engine="reference")
    state = tile.state
    state.src_a_valid = state.src_b_valid = 1
    state.src_a_format = state.src_b_format = 5
    out = TileStream(tile)
    for register, value in ADDR_MODS.items():
        out.push(TT_OP_SETC16(register, value))
    tile.run()

    def body(s: Stream) -> None:
        for mode in SEQUENCE:
            s.push(TT_OP_MVMUL(0, 0, mode, 0))

    load_replay_buf(out, 16, 16, body)
    replay = lltt.replay_insn(16, 16)
    template = ckernel_template(1, 4, replay)
    template.set_end_op(TT_OP_SETRWC(0, 0, 0, 0, 0, 15))
    template.program(out)
    ckernel_template.run(out)
    trace: list[tuple[int, ...]] = []
    opcode = 0x26

    def before_each(t: Tile) -> bool:
        f, rwc = t.state.s.frontend[1], t.state.rwc[1]
        if f.gate_full and f.gate_word >> 24 == opcode:
            trace.append(tuple(int(rwc[n]) for n in ("src_a", "src_b", "dst", "fidelity")))
        return False

    tile.run(until=before_each)
    return tile, out, trace


def test_t14_and_t16_the_hifi4_matmul_of_one_tile() -> None:
    tile, _, trace = matmul_tile()
    one = [tuple(map(int, item.split(","))) for item in LOFI_TRACE[1:-1].split(")(")]
    assert trace == [(*place, phase) for phase in range(4) for place in one]
    frontend = tile.state.frontend[1]
    assert frontend["issued"] == len(ADDR_MODS) + 64 + 1
    assert frontend["pushed"] == len(ADDR_MODS) + 1 + 16 + 1
    rwc = tile.state.rwc[1]
    assert all(int(rwc[name]) == 0 for name in rwc.dtype.names)
    assert tile.warnings == []


def test_program_waits_for_the_mop_before_it() -> None:
    tile = Tile(engine="reference")
    out = TileStream(tile)
    ckernel_template(1, 100, TT_OP_SETC16(13, 1)).program(out)
    ckernel_template.run(out)
    ckernel_template(1, 3, TT_OP_SETC16(14, 1)).program(out)
    ckernel_template.run(out)
    tile.run()
    assert tile.state.engine["issued"][1, 0xB2] == 103
    assert tile.warnings == []
    out.write_mop_cfg(0, 1)
    with pytest.raises(BadInputError, match="registers 0 to 8, not 9"):
        out.write_mop_cfg(9, 0)
