"""Where tiles lie: buffers beyond their memory, rings that overlap, how a pop gets its tile."""

from __future__ import annotations

import numpy as np
import pytest

from pto_harness import UP_DOWN, Stream, open_pipe
from tilelab.pto import Cluster, DeadlockError, Direction, Tile, TileType, TPipe, timeline
from tilelab.pto import errors as e

D, T, F32 = Direction, TileType, np.float32


def consumed(direction, base, policy="raise"):
    """Two tiles through GM, popped into a consumer buffer at `base`; what came of the run."""
    v2c = direction is D.DIR_V2C
    pipe = TPipe(0, direction, 64 * 64 * 4, 2, 2)
    tile = {True: lambda: Tile(T.Vec, F32, 32, 64), False: lambda: Tile(T.Acc, F32, 64, 64)}

    def send(core):
        mine = core.open(pipe, 0x10000, base, base)
        for _ in range(2):
            yield from mine.tpush(tile[v2c](), UP_DOWN)

    def receive(core):
        mine = core.open(pipe, 0x10000, base, base)
        got = Tile(T.Mat, F32, 64, 64) if v2c else Tile(T.Vec, F32, 32, 64)
        for _ in range(2):
            yield from mine.tpop(got, UP_DOWN)

    cluster = Cluster("a2a3", capacity=policy)
    return cluster.run(receive, send) if v2c else cluster.run(send, receive)


@pytest.mark.parametrize(
    ("direction", "base", "said"),
    [
        (D.DIR_C2V, 0x100000, "buffer at 0x100000..0x102000 is outside the 192 KiB of vec"),
        (D.DIR_C2V, 0x2FF00, "buffer at 0x2ff00..0x31f00 is outside the 192 KiB of vec"),
        (D.DIR_C2V, 0x2A020, "buffer at 0x2e020..0x30020 is outside the 192 KiB of vec"),
        (D.DIR_V2C, 0x300000, "buffer at 0x300000..0x304000 is outside the 512 KiB of cube"),
    ],
)
def test_e6_a_consumer_buffer_beyond_its_memory_on_a2a3(direction, base, said):
    with pytest.raises(e.CapacityError, match=said) as caught:
        consumed(direction, base)
    assert caught.value.code == "E6"
    found = consumed(direction, base, "record").findings
    assert {finding.code for finding in found} == {"E6"}


@pytest.mark.parametrize(("direction", "base"), [(D.DIR_C2V, 0x2A000), (D.DIR_V2C, 0x78000)])
def test_a_consumer_buffer_that_ends_with_its_memory_is_none_beyond_it(direction, base):
    assert not consumed(direction, base).findings


def interleaved(second):
    """Two A5 pipes of 2048-byte slots; each half tile of 1024 bytes takes a slot's first half."""
    pipes = [TPipe(0, D.DIR_C2V, 2048, 4), TPipe(2, D.DIR_C2V, 2048, 4)]
    good = []

    def cube(core):
        mine = [core.open(p, 0, at) for p, at in zip(pipes, (0x8000, second), strict=True)]
        for tile in range(4):
            for number, pipe in enumerate(mine):
                data = np.full((16, 32), 10 * number + tile, F32)
                yield from pipe.tpush(Tile(T.Acc, F32, 16, 32, data=data), UP_DOWN)

    def vec(core):
        mine = [core.open(p, 0, at) for p, at in zip(pipes, (0x8000, second), strict=True)]
        for tile in range(4):
            for number, pipe in enumerate(mine):
                got = Tile(T.Vec, F32, 8, 32)
                yield from pipe.tpop(got, UP_DOWN)
                good.append(bool((got.data == 10 * number + tile).all()))
                yield from pipe.tfree(split=UP_DOWN)

    cluster = Cluster("a5", protocol="sparse_fixed", hazards="record")
    return cluster.run(cube, vec, schedule="cube_first"), all(good)


def test_h9_rings_that_interleave_without_a_common_byte_are_no_overlap():
    result, good = interleaved(0x8400)
    assert good
    assert not [finding for finding in result.findings if "H9" in finding.message]


def test_h9_rings_with_common_bytes_overlap():
    result, _ = interleaved(0x8200)
    assert [finding for finding in result.findings if "H9" in finding.message]


def test_h5_an_unsplit_tile_on_a5_is_told_as_such():
    pipe = TPipe(0, D.DIR_C2V, 1024, 4)

    def cube(core):
        mine = open_pipe(core, pipe)
        yield from mine.tpush(Tile(T.Acc, F32, 8, 32))

    def vec(core):
        mine = open_pipe(core, pipe)
        yield from mine.tpop(Tile(T.Vec, F32, 8, 32))

    with pytest.raises(DeadlockError, match="tile 0 was pushed with TILE_NO_SPLIT") as caught:
        Cluster("a5").run(cube, vec)
    assert caught.value.report.cause == "H5"


@pytest.mark.parametrize(
    ("arch", "direction", "primitive"),
    [("a2a3", D.DIR_C2V, "TLOAD"), ("a5", D.DIR_C2V, "TASSIGN"), ("a5", D.DIR_C2V_GM, "TLOAD")],
)
def test_the_timeline_names_how_a_pop_got_its_tile(arch, direction, primitive):
    result = Stream(arch, direction, split=UP_DOWN).run()
    assert {event.primitive for event in result.events(phase="POP")} == {primitive}
    lines = [line for line in timeline.text(result).splitlines() if " POP " in line]
    assert lines
    assert all(f" POP {primitive} [slot " in line for line in lines)
