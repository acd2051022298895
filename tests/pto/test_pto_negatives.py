"""The negatives N1: what must be refused, and how. Without a named protocol: `seed`."""

from __future__ import annotations

import numpy as np
import pytest

from pto_harness import UP_DOWN, Stream
from tilelab.pto import (
    Cluster,
    DeadlockError,
    Direction,
    Tile,
    TileSplitAxis,
    TileType,
    TPipe,
)
from tilelab.pto.errors import (
    DoubleFreeError,
    FlagOverflowError,
    FlagRangeError,
    OverrunHazard,
    ProfileError,
    StaleReadHazard,
    UseAfterFreeHazard,
)

D, S, T = Direction, TileSplitAxis, TileType
F32 = np.float32


# N1: the negatives


def deadlock(cause, **options):
    lanes = options.pop("lanes", None)
    with pytest.raises(DeadlockError) as error:
        Stream(**options).run(lanes=lanes)
    assert error.value.code == "E9"
    assert error.value.report.cause == cause
    return error.value.report


def test_no_tpush():
    """Negative scenario N1."""
    deadlock("H1", pushes=0, pops=1)


def test_no_free_starves_at_tile_4():
    """Negative scenario N1."""
    report = deadlock("H3", cons=lambda pipe: pipe.cons.set_free_status(False))
    assert [w.tile for w in report.waits if w.core == "cube"] == [4]


def test_no_wait_before_push():
    """Negative scenario N1."""
    stream = Stream(cons=lambda pipe: pipe.cons.set_wait_status(False))
    with pytest.raises(StaleReadHazard) as error:
        stream.run("vec_first")
    assert error.value.code == "E11"


@pytest.mark.parametrize("protocol", ["sparse", "sparse_fixed", "tagged"])
def test_a5_c2v_without_tfree(protocol):
    """Negative scenario N1."""
    if protocol == "tagged":  # the second TPOP itself is out of order there
        with pytest.raises(Exception, match="awaits its TFREE"):
            Stream("a5", split=UP_DOWN, protocol=protocol, tfree=False).run()
    else:
        report = deadlock(
            "H3",
            arch="a5",
            split=UP_DOWN,
            protocol=protocol,
            tfree=False,
            pushes=30,
            hazards="record",
        )
        # SlotNum 4, SyncPeriod 2: sparse starves after its two initial credits, at tile 8
        assert [w.tile for w in report.waits if w.core == "cube"] == [
            8 if protocol == "sparse" else 4
        ]


def test_a2a3_no_split_without_aiv1():
    """Negative scenario N1."""
    deadlock("H4", lanes=(0,))
    report = deadlock("H4", direction=D.DIR_V2C, lanes=(0,))
    assert "vec1" in report.reason
    assert report.absent == ("vec1",)


def test_both_flag_13():
    """Negative scenario N1."""
    with pytest.raises(FlagRangeError) as error:
        TPipe(13, D.DIR_BOTH, 1024, 4)
    assert error.value.code == "E1"


def test_gm_direction_on_a2a3():
    """Negative scenario N1."""
    with pytest.raises(ProfileError) as error:
        Stream("a2a3", D.DIR_C2V_GM).run()
    assert error.value.code == "E3"


def test_slot_num_5_sparse_overrun_at_tile_5():
    """Negative scenario N1."""
    with pytest.raises(OverrunHazard) as error:
        Stream(slots=5, protocol="sparse").run("cube_first")
    assert (error.value.code, error.value.finding.tile, error.value.finding.slot) == ("E10", 5, 0)
    Stream(slots=5, protocol="sparse_fixed").run("cube_first")


def test_slot_num_16_overflows_the_counter():
    """Negative scenario N1."""
    with pytest.raises(FlagOverflowError) as error:  # a stalled consumer
        Stream(slots=16, pushes=16, protocol="sparse", vec=1).run("cube_first")
    assert error.value.code == "E14"
    with pytest.raises(FlagOverflowError):  # in the seed protocol, the 16th initial credit
        Stream(slots=16, pushes=1).run()
    Stream(slots=15, pushes=40).run("cube_first")


def test_a5_gm_tpop_and_tfree_is_a_double_free():
    """Negative scenario N1."""
    with pytest.raises(DoubleFreeError, match="every popped tile was freed"):
        Stream("a5", D.DIR_C2V_GM, split=UP_DOWN, protocol="sparse", tfree=True).run()


def test_zero_copy_tile_read_after_the_slot_was_rewritten():
    """Negative scenario N1."""
    pipe = TPipe(0, D.DIR_C2V, 1024, 1)

    def cube(core):
        open_ = core.open(pipe)
        for value in (1, 2):
            yield from open_.tpush(Tile(T.Acc, F32, 8, 32, data=np.full((8, 32), value)), UP_DOWN)

    def vec(core):
        open_ = core.open(pipe)
        tile, other = Tile(T.Vec, F32, 4, 32), Tile(T.Vec, F32, 4, 32)
        yield from open_.tpop(tile, UP_DOWN)  # the seed: frees at once, though the tile is the slot
        yield from open_.tpop(other, UP_DOWN)
        return tile.data[0, 0]

    with pytest.raises(UseAfterFreeHazard, match="now holds tile 1"):
        Cluster("a5").run(cube, vec)
    result = Cluster("a5", hazards="record").run(cube, vec)
    assert result.returned == {"vec0": 2.0, "vec1": 2.0, "cube": None}
