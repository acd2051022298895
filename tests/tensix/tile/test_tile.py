"""The tile's Python interface."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riscv_program import HALT, lui, start, store, sw
from tilelab.elf.writer import ElfBuilder
from tilelab.sim.errors import (
    BadInputError,
    MachineError,
    UndefinedBehaviorError,
)
from tilelab.tensix import StopReason, Tile
from tilelab.tensix.frontend.expand import ThreadExpander
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS, INSTRN_BUF, SOFT_RESET_0
from tilelab.tensix.tile.tile import ENGINES, WouldWaitError
from tilelab.tensix.words.assembly import assemble

SOFT_RESET = DEBUG_REGISTERS + SOFT_RESET_0


def word(text: str, chip: str = "blackhole") -> int:
    (only,) = assemble(text, chip).words(1)
    return only


@pytest.fixture
def tile() -> Tile:
    return Tile(engine="reference")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"arch": "grayskull"}, "unknown architecture 'grayskull'"),
        ({"engine": "warp"}, "no engine is called 'warp'"),
        ({"replay_count": 32}, "unknown option 'replay_count': choose from replay_count0"),
        ({"replay_count0": 33}, "option replay_count0=33: choose 64 or 32"),
        ({"mop_sampling": 2}, "option mop_sampling=2: choose 0 or 1"),
    ],
)
def test_bad_arguments(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        Tile(**({"engine": "reference"} | arguments))  # type: ignore[arg-type]


def test_l1_is_read_and_written_as_bytes(tile: Tile) -> None:
    tile.write(0x1000, b"\1\2\3")
    assert tile.read(0xFFF, 5) == b"\0\1\2\3\0"
    size = tile.arch.l1_size
    tile.write(size - 1, b"\xff")
    assert tile.read(size - 1, 1) == b"\xff"
    for address, count in ((size, 1), (size - 1, 2), (-1, 1), (0, -1), (1 << 40, 1)):
        with pytest.raises(BadInputError, match="not all within L1's 1536 KiB"):
            tile.read(address, count)
    with pytest.raises(BadInputError, match="not all within"):
        tile.write(size - 1, b"ab")
    tile.write(0x2000, np.array([1, 2], np.uint16))
    assert tile.read(0x2000, 4) == b"\1\0\2\0"
    with pytest.raises(BadInputError, match="bytes are written, not int"):
        tile.write(0x1000, 5)  # type: ignore[arg-type]


def test_registers_are_read_and_written_as_bytes_too(tile: Tile) -> None:
    tile.write(SOFT_RESET, b"\0\x68\4\0")
    assert tile.reg_read(SOFT_RESET) == 0x46800
    assert tile.read(SOFT_RESET, 4) == b"\0\x68\4\0"
    for address, count in ((SOFT_RESET, 3), (SOFT_RESET + 1, 4), (SOFT_RESET, -4)):
        with pytest.raises(BadInputError, match="not whole 32-bit registers"):
            tile.read(address, count)


def test_tile_registers(tile: Tile) -> None:
    assert tile.reg_read(SOFT_RESET) == 0x47800
    tile.reg_write(SOFT_RESET, 0x46800)
    assert tile.reg_read(SOFT_RESET) == 0x46800
    assert tile.state.riscv["running"].tolist() == [1, 0, 0, 0, 0]
    for address, message in ((0xFFB12001, "not the address of a 32-bit"), (0x99000000, "nothing")):
        with pytest.raises(BadInputError, match=message):
            tile.reg_read(address)
        with pytest.raises(BadInputError, match=message):
            tile.reg_write(address, 0)
    with pytest.raises(BadInputError, match="32-bit word"):
        tile.reg_write(SOFT_RESET, -1)


def test_elfs_are_loaded_and_started(tile: Tile, tmp_path: Path) -> None:
    code = [*store(0x3000, 0xCAFE), HALT]
    image = b"".join(w.to_bytes(4, "little") for w in code)
    path = tmp_path / "math.elf"
    path.write_bytes(ElfBuilder().add(".init", 0x8000, image).build())
    assert tile.load_elf(path, core="trisc1") == 0x8000
    assert tile.read(0x8000, len(image)) == image
    with pytest.raises(BadInputError, match="no core is called 'math'"):
        tile.load_elf(path, core="math")
    with pytest.raises(BadInputError, match="trisc0 has no program"):
        tile.start("trisc0")
    tile.start("trisc1")
    assert tile.run(1000, watch={0x3000: 0xCAFE}) is StopReason.CONDITION
    path.write_bytes(ElfBuilder().add(".init", tile.arch.l1_size, b"1234").build())
    with pytest.raises(BadInputError, match="outside L1"):
        tile.load_elf(path, core="trisc1")


def test_run_says_why_it_stopped(tile: Tile) -> None:
    assert tile.run() is StopReason.IDLE
    assert tile.run(0) is StopReason.MAX_CYCLES
    for _ in range(20):
        tile.push(0x02000000)
    assert tile.run(5) is StopReason.MAX_CYCLES
    assert tile.run(until=lambda t: t.state.frontend[1]["issued"] == 9) is StopReason.CONDITION
    assert tile.state.frontend[1]["issued"] == 9
    assert tile.run(until=lambda t: False) is StopReason.IDLE
    assert tile.run(until=lambda t: True, max_cycles=0) is StopReason.CONDITION
    assert tile.run(watch={0x1000: 0}) is StopReason.CONDITION


def test_watched_words(tile: Tile) -> None:
    with pytest.raises(BadInputError, match="not the address of a word"):
        tile.run(watch={2: 0})
    with pytest.raises(BadInputError, match="not all within L1"):
        tile.run(watch={1 << 30: 0})
    with pytest.raises(BadInputError, match="at most 8 words"):
        tile.run(watch={4 * i: 0 for i in range(9)})
    with pytest.raises(BadInputError, match="32-bit word"):
        tile.run(watch={0: -1})


def test_push_goes_through_the_expanders_and_execute_past_them(tile: Tile) -> None:
    tile.push(word("ttmop_cfg 5"))
    tile.push(word("ttsetc16 13,7"), thread=2)
    assert tile.run() is StopReason.IDLE
    assert tile.state.frontend["mask_hi"].tolist() == [0, 5, 0]
    assert tile.state.thread_config[2, 13] == 7
    tile.execute(word("ttsetc16 13,9"), thread=0)
    assert tile.state.thread_config[:, 13].tolist() == [9, 0, 7]
    assert tile.state.frontend["pushed"].tolist() == [0, 1, 1]
    with pytest.raises(WouldWaitError, match="would wait: SrcA's bank"):
        tile.execute(word("ttmvmul 0,0,0,0"))
    for call in (tile.push, tile.execute):
        with pytest.raises(BadInputError, match="no thread 3"):
            call(0, thread=3)
        with pytest.raises(BadInputError, match="32-bit word"):
            call(1 << 32)


def test_push_runs_the_tile_while_the_fifo_is_full(tile: Tile) -> None:
    for i in range(100):
        tile.push(word(f"ttsetc16 13,{i}"))
    tile.run()
    assert tile.state.thread_config[1, 13] == 99
    assert tile.state.frontend[1]["issued"] == 100


def test_state_is_readable_writable_and_diffable(tile: Tile) -> None:
    before = tile.state.snapshot()
    tile.state.gpr[1, 5] = 7
    tile.execute(word("ttadddmareg 1,6,3,5"))
    assert tile.state.s.gpr[1, 6] == 10
    assert tile.state.diff(before) == [("gpr[1, 5]", 0, 7), ("gpr[1, 6]", 0, 10)]
    tile.state.dst = np.full((1024, 16), 3)
    assert tile.state.s.dst[1023, 15] == 3
    tile.state.semaphores = tile.state.semaphores
    tile.state.gprs = 9
    assert tile.state.s.gpr[2, 63] == 9
    with pytest.raises(AttributeError, match="no part called 'scrA'"):
        _ = tile.state.scrA
    with pytest.raises(AttributeError, match="no part called 'scrA'"):
        tile.state.scrA = 1
    with pytest.raises(ValueError, match="does not fit"):
        tile.state.set_config_field("ALU_FORMAT_SPEC_REG2_Dstacc", 99)


def test_a_failed_check_names_word_origin_page_and_check(tile: Tile) -> None:
    tile.push(0xFF000000)
    with pytest.raises(UndefinedBehaviorError) as caught:
        tile.run()
    assert caught.value.summary == (
        "UndefinedBehavior: 0xff000000 has an opcode that no instruction has (thread 1, cycle 2)"
    )
    for part in ("word   0xff000000", "from   host's push 0", "manual", "check  unknown-opcode"):
        assert part in caught.value.detail


def test_policies(tile: Tile) -> None:
    post = word("ttsempost 2")
    tile.push(post)
    tile.run()
    (warning,) = tile.warnings
    assert warning == (
        "SEMPOST on semaphore 1, which is at its maximum already (sempost-above-max, 1x)"
    )
    tile.set_policy("sempost-above-max", "off")
    tile.push(post)
    tile.run()
    assert tile.warnings == [warning]
    tile.set_policy("sempost-above-max", "error")
    before = tile.state.semaphore.copy()
    tile.push(post)
    with pytest.raises(MachineError, match="wait with SEMWAIT"):
        tile.run()
    assert (tile.state.semaphore == before).all()
    with pytest.raises(BadInputError, match="no check is called 'x'"):
        tile.set_policy("x", "off")
    with pytest.raises(BadInputError, match="policy 'on': choose error, warn or off"):
        tile.set_policy("sempost-above-max", "on")


def test_r4_a_mop_from_brisc_is_refused(tile: Tile) -> None:
    start(tile, {3: store(INSTRN_BUF + 0x10000, 0x01800000)})
    with pytest.raises(UndefinedBehaviorError, match="pushed by BRISC") as caught:
        tile.run()
    assert "BRISC pc 0x10" in caught.value.detail


def test_a_store_to_nowhere_names_the_core_and_its_pc(tile: Tile) -> None:
    start(tile, {2: store(0x99000000, 1)})
    with pytest.raises(UndefinedBehaviorError, match="nothing is mapped at 0x99000000") as caught:
        tile.run()
    assert "TRISC2 pc 0xe010" in caught.value.detail
    assert "(TRISC2, cycle 4)" in caught.value.summary


def test_r41_the_readings_of_a_replay_of_length_0() -> None:
    for count in (64, 32):
        tile = Tile(engine="reference", replay_count0=count)
        tile.state.frontend["replay_buffer"] = 0x02000000
        tile.push(0x04000000)
        tile.run()
        assert tile.state.frontend[1]["issued"] == count
        assert tile.warnings == [
            f"REPLAY with length 0, read as {count} words; the manuals disagree (64 or 32) "
            "(replay-length-0, 1x)"
        ]


@pytest.mark.parametrize(("bits", "issued"), [(7, 2), (10, 130)])
def test_r18_loop_counts_have_the_manual_s_bits_or_tt_llk_s(bits: int, issued: int) -> None:
    tile = Tile(engine="reference", mop_count_bits=bits)
    body, nop = word("ttsetc16 13,3"), 0x02000000
    for index, value in enumerate([130, 1 + 1024, nop, nop, nop, body, nop, body, body]):
        tile.write_mop_cfg(index, value)
    tile.push(0x01800000)
    tile.run()
    assert tile.state.frontend[1]["issued"] == issued
    assert any("mop-count-bits" in warning for warning in tile.warnings)
    functional = ThreadExpander(tile.arch, tile.state.frontend[1]["mop_cfg"].tolist())
    assert len(list(functional.push(0x01800000))) == issued


@pytest.mark.parametrize(("live", "last"), [(0, 3), (1, 9)])
def test_r30_mop_cfg_is_a_snapshot_or_sampled_live(live: int, last: int) -> None:
    tile = Tile(engine="reference", mop_sampling=live)
    body = word("ttsetc16 13,3")
    for index, value in enumerate([1, 40, *[0x02000000] * 3, body, 0x02000000, body, body]):
        tile.write_mop_cfg(index, value)
    tile.push(0x01800000)
    tile.run(10)
    tile.write_mop_cfg(7, word("ttsetc16 13,9"))
    tile.run()
    assert tile.state.thread_config[1, 13] == last
    assert "mop-cfg-during-expansion" in tile.warnings[0]
    with pytest.raises(BadInputError, match="registers 0 to 8, not 9"):
        tile.write_mop_cfg(9, 0)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda tile: tile.start("erisc"), "no core is called 'erisc'"),
        (lambda tile: tile.start("trisc0", "erisc"), "no core is called 'erisc'"),
        (lambda tile: tile.start(0), "no core is called 0"),
        (lambda tile: tile.load_elf("x", None), "no core is called None"),
        (lambda tile: tile.reg_write(1 << 64, 0), "0x10000000000000000 is not an address"),
        (lambda tile: tile.reg_write(-4, 0), "-0x4 is not an address of 32 bits"),
        (lambda tile: tile.reg_read(1 << 32), "0x100000000 is not an address of 32 bits"),
        (lambda tile: tile.reg_read("x"), "address is 'x', not an integer"),
        (lambda tile: tile.read(0.0, 4), "address is 0.0, not an integer"),
        (lambda tile: tile.read(0, 4.0), "count is 4.0, not an integer"),
        (lambda tile: tile.write(None, b""), "address is None, not an integer"),
        (lambda tile: tile.set_policy("ebreak", None), "policy None: choose error, warn or off"),
        (lambda tile: tile.set_policy(["ebreak"], "off"), "no check is called"),
        (lambda tile: tile.set_policy("sempost-above-max", 2), "policy 2: choose"),
        (lambda tile: tile.run(10.0), "max_cycles is 10.0, not an integer"),
        (lambda tile: tile.run(10.0, until=lambda t: True), "max_cycles is 10.0, not an integer"),
        (lambda tile: tile.run(-1), "max_cycles is -1"),
        (lambda tile: tile.settle(1.5), "rounds is 1.5, not an integer"),
        (lambda tile: tile.push(0x02000000, thread=1.0), "there is no thread 1.0"),
        (lambda tile: tile.push(0x02000000, thread=[1]), "there is no thread"),
    ],
)
def test_a_wrong_argument_is_one_line(engine: str, call: Any, message: str) -> None:
    tile = Tile(engine=engine)
    before = tile.state.record.tobytes()
    with pytest.raises(BadInputError, match=f"^{re.escape(message)}"):
        call(tile)
    assert tile.state.record.tobytes() == before


@pytest.mark.parametrize("engine", ENGINES)
def test_numpy_integers_are_integers(engine: str) -> None:
    tile = Tile(engine=engine)
    tile.write(np.uint32(0x100), b"abcd")
    assert tile.read(np.int64(0x100), np.uint8(4)) == b"abcd"
    tile.run(np.int32(10))


@pytest.mark.parametrize("engine", ENGINES)
def test_the_machine_takes_over_what_is_assigned_to_its_memory(engine: str) -> None:
    """``tile.state.l1 = image`` copies, as ``tile.state.dst = values`` does."""
    tile = Tile(engine=engine)
    image = np.zeros(tile.arch.l1_size, np.uint8)
    program = [lui(5, 0x20000), sw(5, 5, 0), HALT]  # stores its address at 0x20000
    image[:12] = np.frombuffer(b"".join(word.to_bytes(4, "little") for word in program), np.uint8)
    tile.state.l1 = image
    image[:] = 0
    tile.reg_write(DEBUG_REGISTERS + SOFT_RESET_0, 0x47800 & ~0x800)  # BRISC starts at 0
    tile.settle(100)
    assert tile.read(0x20000, 4) == (0x20000).to_bytes(4, "little")
    before = tile.state.snapshot()
    tile.push(0x02000000)
    tile.state.record = before
    assert tile.state.diff(before) == []
    for name in ("memory", "s", "arch"):
        with pytest.raises(AttributeError, match=f"the tile's {name} cannot be replaced"):
            setattr(tile.state, name, getattr(tile.state, name))
