"""Paged attention over three rings: the Cube multiplies, the Vector cores do softmax.

The steps are those of the kernel of pto-isa#99 (``simpler`` 8aee302), in the shapes of its Case 1.
The Cube runs one block ahead: it pushes the scores of block i before it takes the weights of block
i - 1.
``tilelab pto protocol examples/pto/paged_attention.py`` compares protocols of these rings.
"""

import numpy as np

from tilelab.pto import Direction, Tile, TileSplitAxis, TileType, TPipe

BLOCKS, ROWS, KEYS, HEAD = 16, 16, 128, 128
DEPTH = 2
HALF = TileSplitAxis.TILE_UP_DOWN
SCORES = TPipe(0, Direction.DIR_C2V, 4 * ROWS * KEYS, DEPTH)
WEIGHTS = TPipe(2, Direction.DIR_V2C, 2 * ROWS * KEYS, DEPTH)
OUTPUTS = TPipe(4, Direction.DIR_C2V, 4 * ROWS * HEAD, DEPTH)

random = np.random.default_rng(1)
query = random.standard_normal((ROWS, HEAD)).astype(np.float16)
keys = random.standard_normal((BLOCKS, HEAD, KEYS)).astype(np.float16)
values = random.standard_normal((BLOCKS, KEYS, HEAD)).astype(np.float16)
results = {}
cluster = {"arch": "a2a3", "protocol": "rendezvous"}


def open_all(core):
    """The three rings, on either core."""
    return (
        core.open(SCORES, 0x100000, 0x0000, 0x40000),
        core.open(WEIGHTS, 0x200000, 0x4000, 0x40000),
        core.open(OUTPUTS, 0x300000, 0x8000, 0x40000),
    )


def cube(core):
    """Scores of block i, then outputs of block i - 1."""
    scores, weights, outputs = open_all(core)
    q = Tile(TileType.Mat, np.float16, ROWS, HEAD)
    core.tload(q, query)
    k = [Tile(TileType.Mat, np.float16, HEAD, KEYS) for _ in range(2)]
    v = [Tile(TileType.Mat, np.float16, KEYS, HEAD) for _ in range(2)]
    p = Tile(TileType.Mat, np.float16, ROWS, KEYS)
    left, weighed = (
        Tile(TileType.Left, np.float16, ROWS, HEAD),
        Tile(TileType.Left, np.float16, ROWS, KEYS),
    )
    right, valued = (
        Tile(TileType.Right, np.float16, *shape) for shape in ((HEAD, KEYS), (KEYS, HEAD))
    )
    acc = Tile(TileType.Acc, np.float32, ROWS, KEYS)
    out = Tile(TileType.Acc, np.float32, ROWS, HEAD)

    def multiply(block):
        core.tload(k[block % 2], keys[block])
        core.tmov(left, q)
        core.tmov(right, k[block % 2])
        core.tmatmul(acc, left, right)
        yield from scores.tpush(acc, HALF)
        core.pipe_barrier("ALL")

    def weigh(block):
        core.tload(v[block % 2], values[block])
        yield from weights.tpop(p, HALF)
        core.tmov(weighed, p)
        core.tmov(valued, v[block % 2])
        core.tmatmul(out, weighed, valued)
        yield from outputs.tpush(out, HALF)
        core.pipe_barrier("ALL")

    yield from multiply(0)
    for block in range(1, BLOCKS):
        yield from multiply(block)
        yield from weigh(block - 1)
    yield from weigh(BLOCKS - 1)


def vec(core):
    """Softmax of block i, then the running output of block i - 1."""
    scores, weights, outputs = open_all(core)
    half = ROWS // 2
    s, e = (Tile(TileType.Vec, np.float32, half, KEYS) for _ in range(2))
    o, total = (Tile(TileType.Vec, np.float32, half, HEAD) for _ in range(2))
    w = Tile(TileType.Vec, np.float16, half, KEYS)
    most, sums, scale, new, part = (Tile(TileType.Vec, np.float32, half, 1) for _ in range(5))
    most.data[...], sums.data[...], total.data[...] = -np.inf, 0, 0
    scales = []

    def softmax():
        yield from scores.tpop(s, HALF)
        core.spend("TROWMAX", part, s)
        core.spend("TMULS", part, part)
        core.spend("TMAX", new, most, part)
        core.spend("TMULS", s, s)
        core.spend("TROWEXPANDSUB", e, s, new)
        core.spend("TEXP", e, e)
        core.spend("TCVT", e, e)
        core.spend("TROWSUM", part, e)
        core.spend("TCVT", w, e)
        scaled = s.data / np.sqrt(HEAD)
        new.data[...] = np.maximum(most.data, scaled.max(axis=1, keepdims=True))
        e.data[...] = np.exp(scaled - new.data)
        scales.append(np.exp(most.data - new.data))
        sums.data[...] = sums.data * scales[-1] + e.data.sum(axis=1, keepdims=True)
        most.data[...], w.data[...] = new.data, e.data
        yield from weights.tpush(w, HALF)

    def update(block):
        yield from outputs.tpop(o, HALF)
        core.spend("TSUB", scale, most, new)
        core.spend("TEXP", scale, scale)
        core.spend("TROWEXPANDMUL", total, total, scale)
        core.spend("TADD", total, total, o)
        core.spend("TMUL", sums, sums, scale)
        core.spend("TADD", sums, sums, part)
        total.data[...] = total.data * scales[block] + o.data

    yield from softmax()
    for block in range(1, BLOCKS):
        for _ in range(3):  # what the next block must not overwrite
            core.spend("TMULS", most, new)
        yield from softmax()
        yield from update(block - 1)
    yield from update(BLOCKS - 1)
    core.spend("TROWEXPANDDIV", total, total, sums)
    results[core.name] = total.data / sums.data


def check(result):
    """NumPy's attention over all blocks at once."""
    scores = np.hstack([query.astype(np.float32) @ block for block in keys]) / np.sqrt(HEAD)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = weights @ np.vstack(values) / weights.sum(axis=1, keepdims=True)
    got = np.vstack([results["vec0"], results["vec1"]])
    assert np.abs(got - expected).max() < 0.01, np.abs(got - expected).max()
