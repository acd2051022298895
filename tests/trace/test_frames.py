"""States of the run that the page shows: what is kept, and that it decodes to what was there."""

from pathlib import Path

import numpy as np
import pytest

from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.tensix import Tile
from tilelab.tensix.backend.dst import (
    bf16_from_dst,
    fp16_to_dst,
    fp32_from_dst,
    fp32_to_dst,
    read_dst16,
    read_dst32,
    write_dst32,
)
from tilelab.tensix.chips.config_registers import config_fields
from tilelab.tensix.state import TensixState
from tilelab.trace.page.frames import by_field
from tilelab.trace.page.frames import frames as make_frames
from tilelab.trace.recorded import FIRST_PAUSE, FRAMES
from tilelab.trace.recording import Recording

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def recording() -> Recording:
    tile = Tile(clock="cycle")
    made = Recording(tile, "matmul")
    assert run_kernel(read_kernel_file(EXAMPLES / "matmul"), tile).passed
    return made


def added_up(column: np.ndarray, frames: int) -> np.ndarray:
    """A column of differences as the page adds it up: one row for each frame."""
    return np.add.accumulate(column.reshape(frames, -1), dtype=column.dtype)


def tiles(rows: np.ndarray) -> np.ndarray:
    """Rows of Dst as lines of tiles' left and right halves, written out the long way."""
    count = len(rows) // 64
    lines = []
    for tile in range(count):
        for y in range(32):
            for right in range(2):
                lines.append(rows[64 * tile + 32 * (y // 16) + 16 * right + y % 16])
    return np.array(lines)


def bf16_values(state: TensixState) -> np.ndarray:
    """Dst16b as a program would read it, row by row, by the machine's own functions."""
    rows = [[bf16_from_dst(read_dst16(state.s, y, x)) for x in range(16)] for y in range(1024)]
    return (np.array(rows, np.uint32) << 16).view(np.float32)


def fp32_values(state: TensixState) -> np.ndarray:
    rows = [[fp32_from_dst(read_dst32(state.s, y, x)) for x in range(16)] for y in range(512)]
    return np.array(rows, np.uint32).view(np.float32)


def test_frames_are_the_states_of_the_run(recording: Recording) -> None:
    about, columns = make_frames(recording)
    state, count = recording.tile.state, len(about["clocks"])
    assert 3 < count <= FRAMES + 1
    assert about["clocks"] == sorted(about["clocks"])
    for name in ("src_a", "src_b"):
        shown = added_up(columns[name], count)
        assert (shown[-1] == state.record[name].reshape(-1)).all()
        assert (shown[0] == recording.frames[0][1][name].reshape(-1)).all()
    shown = columns["dst_bf16"][added_up(columns["dst16"], count)]
    flags = added_up(columns["dst16_valid"], count)
    seen = np.where(flags[-1][:, None], shown[-1].reshape(2048 // 2, 16), 0)
    assert (seen == tiles(bf16_values(state))).all()
    filled = (shown != 0).any(axis=1)
    assert 0 < filled.argmax() < len(filled) - 1  # the first product appears in mid-run
    assert about["dropped"] == 0


@pytest.mark.parametrize("swizzle", [0, 1])
@pytest.mark.parametrize("remap", [0, 1])
def test_dst_is_shown_where_instructions_find_it(remap: int, swizzle: int) -> None:
    """Blackhole may permute Dst's rows: what the page shows follows the machine's own functions."""
    tile = Tile(engine="reference", clock="cycle")
    recording = Recording(tile, "permuted")
    state, rng = tile.state, np.random.default_rng(1)
    state.set_config_field("DEST_ACCESS_CFG_remap_addrs", remap)
    state.set_config_field("DEST_ACCESS_CFG_swizzle_32b", swizzle)
    for row in range(64):
        for column in range(16):
            write_dst32(state.s, row, column, fp32_to_dst(0x3F800000 + 4096 * row + column))
    state.dst_valid[rng.integers(0, 1024, 40)] = 0
    about, columns = make_frames(recording)
    count = len(about["clocks"])
    for data, valid, wanted in (
        ("dst32", "dst32_valid", fp32_values(state)),
        ("dst16", "dst16_valid", bf16_values(state)),
    ):
        found = added_up(columns[data], count)[-1]
        shown = found.view(np.float32) if data == "dst32" else columns["dst_bf16"][found]
        flags = added_up(columns[valid], count)[-1]
        seen = np.where(flags[:, None], shown.reshape(-1, 16), 0)
        assert (seen == tiles(wanted)).all()
        assert not flags.all()


def test_fp16_has_no_infinities_and_no_denormals(recording: Recording) -> None:
    state = recording.tile.state
    before = state.dst[0].copy()
    state.dst[0, :4] = [fp16_to_dst(x) for x in (0x7C00, 0xBC00, 0x03FF, 0x3E00)]
    try:
        about, columns = make_frames(recording)
        indices = added_up(columns["dst16"], len(about["clocks"]))[-1][:4]
        assert columns["dst_fp16"][indices].tolist() == [65536.0, -1.0, 0.0, 1.5]
    finally:
        state.dst[0] = before


def test_configuration_is_shown_by_its_fields() -> None:
    tile = Tile(engine="reference", clock="cycle")
    recording = Recording(tile, "config")
    tile.state.set_config_field("ALU_FORMAT_SPEC_REG_SrcA_val", 5, bank=1)
    tile.state.set_config_field("DEST_ACCESS_CFG_remap_addrs", 1)
    about, _ = make_frames(recording)
    names = [name for name, *_ in about["registers"]]
    assert "config[1].ALU_FORMAT_SPEC_REG_SrcA_val" in names
    assert "config[0].DEST_ACCESS_CFG_remap_addrs" in names
    assert not any(name.startswith("config[0, ") for name in names)
    config = about["groups"].index("config")
    assert {group for name, group, _ in about["registers"] if "config" in name} == {config}


def test_bits_of_no_field_stay_with_their_word() -> None:
    fields = config_fields("blackhole").values()
    used = dict.fromkeys(range(256), 0)
    for field in fields:
        if field.space == "c":
            used[field.word] |= ((2 << (field.hi - field.lo)) - 1) << field.lo
    word = next(word for word, mask in used.items() if mask not in (0, 0xFFFFFFFF))
    free = next(bit for bit in range(32) if not used[word] >> bit & 1)
    taken = next(bit for bit in range(32) if used[word] >> bit & 1)
    name = f"config[0, {word}]"
    assert by_field([(name, 0, 1 << free)], "blackhole") == [(name, 0, 1 << free)]
    both = by_field([(name, 0, 1 << free | 1 << taken)], "blackhole")
    assert len(both) == 2
    assert both[-1] == (name, 0, 1 << free)


def test_long_runs_keep_few_frames() -> None:
    tile = Tile(clock="cycle")
    recording = Recording(tile, "long")
    word = tile.arch.instructions["SFPNOP"].encode()
    for _ in range(12_000):
        tile.push(word)
    tile.run()
    clocks = [clock for clock, _ in recording.frames]
    assert clocks[-1] > 100 * FRAMES
    assert len(clocks) <= FRAMES
    assert tile.engine.pause > FIRST_PAUSE
    assert clocks[0] == 0


def test_registers_decode_to_their_last_values(recording: Recording) -> None:
    about, columns = make_frames(recording)
    values = columns["first"].tolist()
    for register, value in zip(
        columns["change_register"].tolist(), columns["change_value"].tolist(), strict=True
    ):
        values[register] = value
    last = dict(zip((name for name, *_ in about["registers"]), values, strict=True))
    record = recording.tile.state.record
    assert last["semaphore[1].max"] == int(record["semaphore"][1]["max"]) != 0
    assert last["frontend[1].replay_buffer[16]"] == 0x26000000
    assert last["clock"] == recording.end
    assert not any(name.startswith(("dst", "src_", "cycle", "engine")) for name in last)
