"""Kernels of several scenarios: a product to the Vector cores, a dequantised one to the Cube."""

from __future__ import annotations

import numpy as np

from pto_harness import LEFT_RIGHT, NO_SPLIT, UP_DOWN
from tilelab.pto import (
    Cluster,
    Direction,
    Tile,
    TileSplitAxis,
    TileType,
    TPipe,
)
from tilelab.pto.layout import lane_shape

D, S, T = Direction, TileSplitAxis, TileType
F32 = np.float32


def ints(seed, *shape):
    return np.random.default_rng(seed).integers(-4, 5, shape)


def matmul_c2v(
    a, b, bias, split, tile_rows, slots, arch="a2a3", protocol="seed", pad_cols=0, **options
):
    """The Cube pushes A@B in row tiles; each Vector core adds its part of the bias."""
    rows, cols = a.shape[0], b.shape[1]
    out = np.zeros((rows, cols), F32)
    width = pad_cols or cols
    full_rows = -(-tile_rows // 16) * 16
    pipe = TPipe(
        0, D.DIR_C2V, full_rows * width * 4, slots, nosplit=arch == "a5" and split == NO_SPLIT
    )
    count = rows // tile_rows

    def cube(core):
        open_ = core.open(pipe, 0x1000, 0x0, 0x0)
        for index in range(count):
            left = Tile(T.Left, a.dtype, tile_rows, a.shape[1])
            left.data[...] = a[index * tile_rows : (index + 1) * tile_rows]
            right = Tile(T.Right, b.dtype, *b.shape, data=b)
            acc = Tile(T.Acc, F32, full_rows, width, valid=(tile_rows, cols))
            core.tmatmul(acc, left, right)
            yield from open_.tpush(acc, split)

    def vec(core):
        open_ = core.open(pipe, 0x1000, 0x0, 0x0)
        lane = core.subblock
        shape = lane_shape(split, lane, tile_rows, cols)
        for index in range(count):
            tile = Tile(T.Vec, F32, *lane_shape(split, 0, full_rows, width), valid=shape)
            yield from open_.tpop(tile, split)
            top = index * tile_rows + (
                tile_rows - shape[0] if lane and shape[0] != tile_rows else 0
            )
            left = cols - shape[1] if lane and shape[1] != cols else 0
            window = (slice(top, top + shape[0]), slice(left, left + shape[1]))
            out[window] = tile.valid + bias[window]
            yield from open_.tfree(split=split)

    cluster = Cluster(arch, protocol=protocol, gm_bytes=1 << 21, **options)
    lanes = [vec, None] if pipe.nosplit else vec
    result = cluster.run(cube, lanes)
    np.testing.assert_array_equal(out, a.astype(F32) @ b.astype(F32) + bias)
    return result


def dequant(arch, split, dtype, rows, cols, k_tiles, tile_k=64, protocol="seed", slots=2):
    """Vector cores dequantise B strip by strip and push it; the Cube accumulates A @ B."""
    a = ints(19, rows, tile_k * k_tiles).astype(F32)
    raw = ints(42, tile_k * k_tiles, cols).astype(dtype)
    scale, off = ints(3, k_tiles) + 5, ints(4, k_tiles)
    nosplit = split == NO_SPLIT and arch == "a5"
    pipe = TPipe(0, D.DIR_V2C, tile_k * cols * 4, slots, nosplit=nosplit)
    out = Tile(T.Acc, F32, rows, cols)

    def vec(core):
        open_ = core.open(pipe, 0x1000)
        for k in range(k_tiles):
            strip = raw[k * tile_k : (k + 1) * tile_k].astype(F32)
            if split == UP_DOWN:
                strip = np.vsplit(strip, 2)[core.subblock]
            elif split == LEFT_RIGHT:
                strip = np.hsplit(strip, 2)[core.subblock]
            yield from open_.tpush(
                Tile(T.Vec, F32, *strip.shape, data=(strip - off[k]) * scale[k]), split
            )

    def cube(core):
        open_ = core.open(pipe, 0x1000)
        for k in range(k_tiles):
            mat = Tile(T.Mat, F32, tile_k, cols)
            yield from open_.tpop(mat, split)
            left = Tile(T.Left, F32, rows, tile_k, data=a[:, k * tile_k : (k + 1) * tile_k])
            right = Tile(T.Right, F32, tile_k, cols)
            core.tmov(right, mat)
            core.tmatmul(out, left, right, accumulate=k > 0)
            yield from open_.tfree(split=split)

    result = Cluster(arch, protocol=protocol).run(cube, [vec, None] if nosplit else vec)
    full = (raw.astype(F32) - np.repeat(off, tile_k)[:, None]) * np.repeat(scale, tile_k)[:, None]
    np.testing.assert_array_equal(out.data, a @ full)
    return result
