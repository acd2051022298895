"""How far flash attention may run ahead: the order of its waits, proved for every order of cores.

The programs below keep, of pto-isa's `runTFA`, what the three pipes see: QK (C2V), P (V2C) and PV
(C2V), eight slots each; `preload` tiles of QK and P before the loop; in the loop QK of a later
tile comes before PV of this one, and the Vector cores free a QK slot only after they have found
room for the first half of its P.
"""

from __future__ import annotations

import pytest

from tilelab.pto import Cluster, DeadlockError, Direction, GlobalTensor, TileSplitAxis, TPipe
from tilelab.pto.search import of_cluster, search

DEPTH = 8
UP_DOWN = TileSplitAxis.TILE_UP_DOWN
QK = TPipe(0, Direction.DIR_C2V, 1024, DEPTH)
P = TPipe(2, Direction.DIR_V2C, 512, DEPTH)
PV = TPipe(4, Direction.DIR_C2V, 512, DEPTH)


def tensor():
    return GlobalTensor("float32", 4, 4)


def pipes(core):
    return core.open(QK, 0x10000), core.open(P, 0x20000), core.open(PV, 0x30000)


def push(pipe):
    slot = tensor()
    yield from pipe.talloc(slot, UP_DOWN)
    yield from pipe.tpush(slot, UP_DOWN)


def pop(pipe):
    slot = tensor()
    yield from pipe.tpop(slot, UP_DOWN)
    yield from pipe.tfree(slot, UP_DOWN)


def programs(preload, tiles):
    def cube(core):
        qk, p, pv = pipes(core)
        for _ in range(min(preload, tiles)):
            yield from push(qk)
        for tile in range(tiles):
            if tile + preload < tiles:
                yield from push(qk)
            out = tensor()
            yield from pv.talloc(out, UP_DOWN)
            yield from pop(p)
            yield from pv.tpush(out, UP_DOWN)

    def vec(core):
        qk, p, pv = pipes(core)

        def softmax():
            scores, weights = tensor(), tensor()
            yield from qk.tpop(scores, UP_DOWN)
            yield from p.talloc(weights, UP_DOWN)
            yield from qk.tfree(scores, UP_DOWN)
            yield from p.tpush(weights, UP_DOWN)

        for _ in range(min(preload, tiles)):
            yield from softmax()
        for tile in range(tiles):
            if tile + preload < tiles:
                yield from softmax()
            yield from pop(pv)

    return cube, vec


@pytest.mark.parametrize(
    ("protocol", "preload", "tiles", "ends"),
    [
        ("sparse", 12, 32, True),
        ("sparse", 13, 32, False),
        ("sparse", 16, 32, False),
        ("sparse", 16, 16, True),
        ("sparse", 17, 17, False),
        ("seed", 15, 32, True),  # a credit for each slot: further, and still not 16
        ("seed", 16, 32, False),
    ],
)
def test_the_bound_is_the_same_in_every_order(protocol, preload, tiles, ends):
    def start(path, keep):
        cluster = Cluster(protocol=protocol, leaks="record")
        keep(cluster)
        cluster.run(*programs(preload, tiles), path)

    if ends:
        verdict = search(of_cluster(start), 300)
        assert not verdict.found
    else:
        with pytest.raises(DeadlockError, match="H12") as error:
            start("rr", lambda cluster: None)
        assert "TALLOC" in error.value.report.reason
