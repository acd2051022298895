"""Run by a Python that has ttnn: ``ttnn_wide.py OUT.npz CASE…`` keeps every result's bytes.

Result N of a case is under ``CASE N``; each case is run twice. ``--list`` prints the cases.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial

import ml_dtypes
import numpy as np
import ttnn
from ttnn_multicast import multicast

Results = ttnn.Tensor | list[ttnn.Tensor] | list[np.ndarray]
KINDS = {
    "bf16": ttnn.bfloat16, "fp32": ttnn.float32, "bfp8": ttnn.bfloat8_b, "bfp4": ttnn.bfloat4_b,
    "uint16": ttnn.uint16, "uint32": ttnn.uint32, "int32": ttnn.int32, "uint8": ttnn.uint8,
}  # fmt: skip
INTEGERS = {
    "uint16": np.uint16, "uint32": np.uint32, "int32": np.int32, "uint8": np.uint8
}  # fmt: skip
ROWS = ttnn.ROW_MAJOR_LAYOUT
UNARY = (
    *("abs", "neg", "square", "exp", "exp2", "expm1", "relu", "relu6", "gelu", "sigmoid", "tanh"),
    *("silu", "mish", "sin", "cos", "tan", "atan", "sinh", "cosh", "asinh", "erf", "erfc", "floor"),
    *("ceil", "round", "trunc", "frac", "sign", "signbit", "reciprocal", "cbrt", "isnan", "isinf"),
    *("eqz", "nez", "gtz", "ltz", "gez", "lez", "logical_not", "hardsigmoid", "hardswish", "selu"),
    *("hardtanh", "softplus", "softsign", "hardshrink", "softshrink", "tanhshrink", "log_sigmoid"),
    *("i0", "i1", "rad2deg", "isfinite", "identity"),
)
POSITIVE = ("sqrt", "rsqrt", "log", "log2", "log10", "log1p", "acosh", "lgamma", "digamma")
SMALL = ("asin", "acos", "atanh", "erfinv")
BINARY = (
    *("mul", "div", "maximum", "minimum", "eq", "ne", "lt", "le", "gt", "ge", "logical_and"),
    *("logical_or", "logical_xor", "squared_difference", "atan2", "hypot", "ldexp", "logaddexp"),
    *("logaddexp2", "fmod", "remainder", "floor_div", "div_no_nan", "bias_gelu", "rsub"),
)
INTEGER_BINARY = (
    *("add", "sub", "mul", "maximum", "minimum", "eq", "lt", "gt", "bitwise_and", "bitwise_or"),
    *("bitwise_xor", "floor_div", "remainder", "gcd", "lcm"),
)
FOLDS = ("sum", "mean", "max", "min", "var", "std")
PERMUTATIONS = ("0132", "0213", "1023", "3210", "0312", "0231", "2301")

out, *cases = sys.argv[1:]
device = (
    None
    if out == "--list"
    else ttnn.open_device(
        device_id=0, l1_small_size=16384, trace_region_size=1 << 20, num_command_queues=2
    )
)


def numbers(*shape: int, seed: int = 1, scale: float = 1.0) -> np.ndarray:
    """Normally distributed numbers that are bf16."""
    made = np.random.default_rng(seed).standard_normal(shape) * scale
    return made.astype(ml_dtypes.bfloat16).astype(np.float32)


def put(x: np.ndarray, kind: str = "bf16", layout: ttnn.Layout = ttnn.TILE_LAYOUT) -> ttnn.Tensor:
    """A tensor in DRAM."""
    data = np.ascontiguousarray(x)
    return ttnn.Tensor(data, KINDS[kind], device, layout, ttnn.DRAM_MEMORY_CONFIG)


def drawn(*shape: int, kind: str = "bf16", seed: int = 1, layout: ttnn.Layout = ttnn.TILE_LAYOUT,
          positive: bool = False, scale: float = 1.0) -> ttnn.Tensor:  # fmt: skip
    """A tensor of numbers that suit its kind."""
    if kind in INTEGERS:
        return put(
            np.random.default_rng(seed).integers(1, 99, shape).astype(INTEGERS[kind]), kind, layout
        )
    x = numbers(*shape, seed=seed, scale=scale)
    return put(np.abs(x) + np.float32(0.125) if positive else x, kind, layout)


def rows(*shape: int, **about: object) -> ttnn.Tensor:
    """The same, row-major."""
    return drawn(*shape, layout=ROWS, **about)


def back(tensor: ttnn.Tensor) -> np.ndarray:
    """A tensor's numbers; floats as float32."""
    host = tensor.cpu()
    host = host if host.layout == ROWS else host.to(ROWS)
    if host.dtype in (ttnn.bfloat16, ttnn.bfloat8_b, ttnn.bfloat4_b):
        host = ttnn.to_dtype(host, ttnn.float32)
    return np.ascontiguousarray(host.to_numpy())


def sharded(columns: int, lines: int, shape: tuple[int, int]) -> ttnn.MemoryConfig:
    """Blocks in L1 of a grid of tiles."""
    corner = ttnn.CoreCoord(columns - 1, lines - 1)
    grid = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), corner)])
    spec = ttnn.ShardSpec(grid, shape, ttnn.ShardOrientation.ROW_MAJOR)
    return ttnn.MemoryConfig(ttnn.TensorMemoryLayout.BLOCK_SHARDED, ttnn.BufferType.L1, spec)


def layer_norm_on_four() -> ttnn.Tensor:
    """Of blocks on two by two tiles, which send each other their parts of the sums."""
    kept = sharded(2, 2, (64, 64))
    config = ttnn.LayerNormShardedMultiCoreProgramConfig(
        compute_with_storage_grid_size=(2, 2), subblock_w=1, block_h=2, block_w=2, inplace=False
    )
    x = ttnn.to_memory_config(drawn(1, 1, 128, 128), kept)
    return ttnn.layer_norm(x, memory_config=kept, program_config=config)


def convolution() -> ttnn.Tensor:
    """3 x 3 on 8 x 8 points: the weights go to several tiles by multicast."""
    return ttnn.conv2d(
        input_tensor=rows(1, 1, 64, 16), weight_tensor=ttnn.Tensor(numbers(32, 16, 3, 3, seed=2),
        ttnn.bfloat16), device=device, in_channels=16, out_channels=32, batch_size=1,
        input_height=8, input_width=8, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1),
        dilation=(1, 1), groups=1,
    )  # fmt: skip


def largest_of_windows() -> ttnn.Tensor:
    """2 x 2 of 8 x 8 points."""
    return ttnn.max_pool2d(rows(1, 1, 64, 32), 1, 8, 8, 32, [2, 2], [2, 2], [0, 0], [1, 1])


def attention() -> ttnn.Tensor:
    """Two heads, causal."""
    q, k, v = (drawn(1, 2, 64, 64, seed=seed) for seed in (1, 2, 3))
    return ttnn.transformer.scaled_dot_product_attention(q, k, v, is_causal=True)


def trace() -> list[np.ndarray]:
    """Two operations, captured, and run again with another operand."""
    x = drawn(64, 64)
    ttnn.matmul(ttnn.add(x, x), x)
    number = ttnn.begin_trace_capture(device, cq_id=0)
    product = ttnn.matmul(ttnn.add(x, x), x)
    ttnn.end_trace_capture(device, number, cq_id=0)
    results = []
    for seed in (5, 6):
        other = ttnn.Tensor(numbers(64, 64, seed=seed), ttnn.bfloat16).to(ttnn.TILE_LAYOUT)
        ttnn.copy_host_to_device_tensor(other, x)
        ttnn.execute_trace(device, number, cq_id=0, blocking=True)
        results.append(back(product))
    ttnn.release_trace(device, number)
    return results


def two_queues() -> ttnn.Tensor:
    """One fills a tensor, the other computes with it, after an event."""
    x = drawn(64, 64)
    ttnn.wait_for_event(1, ttnn.record_event(device, 0))
    other = ttnn.Tensor(numbers(64, 64, seed=4), ttnn.bfloat16).to(ttnn.TILE_LAYOUT)
    ttnn.copy_host_to_device_tensor(other, x, cq_id=1)
    ttnn.wait_for_event(0, ttnn.record_event(device, 1))
    return ttnn.add(x, x)


def cast(source: str, target: str) -> ttnn.Tensor:
    """Numbers that both kinds have; negative ones where both have those."""
    x = numbers(64, 64, scale=50)
    if "u" in (source[0], target[0]):
        x = np.abs(x)
    made = x.astype(INTEGERS[source]) if source in INTEGERS else x
    return ttnn.typecast(put(made, source), KINDS[target])


def fold(name: str, dimension: int) -> ttnn.Tensor:
    """Along a dimension that is no multiple of a tile's."""
    return getattr(ttnn, name)(drawn(2, 3, 40, 70), dim=dimension)


def permuted(order: Sequence[int], layout: ttnn.Layout) -> ttnn.Tensor:
    """Four dimensions, in another order."""
    return ttnn.permute(drawn(2, 3, 33, 20, layout=layout), order)


def joined(dimension: int, layout: ttnn.Layout) -> ttnn.Tensor:
    """Two tensors, put side by side."""
    parts = [drawn(2, 2, 32, 40, seed=seed, layout=layout) for seed in (1, 2)]
    return ttnn.concat(parts, dimension)


def fidelity(name: str, wide: bool) -> ttnn.Tensor:
    """A product of two by four tiles, in so many phases, and whether Dst holds fp32."""
    config = ttnn.init_device_compute_kernel_config(
        device.arch(), math_fidelity=getattr(ttnn.MathFidelity, name), fp32_dest_acc_en=wide,
        packer_l1_acc=wide,
    )  # fmt: skip
    return ttnn.matmul(drawn(64, 128), drawn(128, 64, seed=2), compute_kernel_config=config)


def of(f: Callable[..., Results], *shapes: Sequence[int], kind: str = "bf16",
       positive: bool = False, scale: float = 1.0, **options: object) -> Results:  # fmt: skip
    """A function of tensors of these shapes."""
    operands = [
        drawn(*shape, kind=kind, seed=i + 1, positive=positive, scale=scale)
        for i, shape in enumerate(shapes)
    ]
    return f(*operands, **options)


SIZE = (32, 64)
CASES: dict[str, Callable[[], Results]] = {
    **{name: partial(of, getattr(ttnn, name), SIZE) for name in UNARY},
    **{name: partial(of, getattr(ttnn, name), SIZE, positive=True) for name in POSITIVE},
    **{name: partial(of, getattr(ttnn, name), SIZE, scale=0.25) for name in SMALL},
    **{name: partial(of, getattr(ttnn, name), SIZE, SIZE) for name in BINARY},
    **{
        f"{name} int32": partial(of, getattr(ttnn, name), SIZE, SIZE, kind="int32")
        for name in INTEGER_BINARY
    },
    **{f"{a} to {b}": partial(cast, a, b) for a in KINDS for b in KINDS if a != b},
    **{f"{name} {d}": partial(fold, name, d) for name in FOLDS for d in (-1, -2, 0)},
    **{f"permute {p}": partial(permuted, [*map(int, p)], ttnn.TILE_LAYOUT) for p in PERMUTATIONS},
    **{f"permute rows {p}": partial(permuted, [*map(int, p)], ROWS) for p in PERMUTATIONS},
    **{f"concat {d}": partial(joined, d, ttnn.TILE_LAYOUT) for d in range(4)},
    **{f"concat rows {d}": partial(joined, d, ROWS) for d in range(4)},
    **{
        f"matmul {name}{' wide' * wide}": partial(fidelity, name, wide)
        for name in ("LoFi", "HiFi2", "HiFi3", "HiFi4")
        for wide in (False, True)
    },
    "power": lambda: ttnn.pow(drawn(*SIZE, positive=True), 0.5),
    "sum of fp32": partial(of, ttnn.sum, (2, 3, 40, 70), kind="fp32", dim=-1),
    "odd matmul": partial(of, ttnn.matmul, (33, 70), (70, 45)),
    "batch matmul": partial(of, ttnn.matmul, (2, 3, 64, 32), (2, 3, 32, 64)),
    "softmax": partial(of, ttnn.softmax, (1, 1, 40, 50), dim=-1),
    "topk": lambda: ttnn.topk(drawn(1, 1, 32, 64), 32, dim=-1),
    "sort": lambda: ttnn.sort(drawn(1, 1, 32, 64), dim=-1),
    "argmax": lambda: ttnn.argmax(rows(1, 1, 32, 64), dim=-1),
    "cumsum": partial(of, ttnn.cumsum, (1, 2, 64, 64), dim=-1),
    "embedding": lambda: ttnn.embedding(rows(2, 32, kind="uint32"), rows(100, 64)),
    "slice": lambda: ttnn.slice(rows(2, 3, 37, 50), [0, 1, 3, 10], [2, 3, 30, 40]),
    "pad": lambda: ttnn.pad(rows(1, 2, 30, 50), [(0, 0), (0, 1), (1, 2), (4, 6)], 1.0),
    "repeat": partial(of, ttnn.repeat, (1, 2, 32, 32), repeat_dims=(2, 1, 2, 1)),
    "split": partial(of, ttnn.split, (1, 2, 64, 64), split_size=32, dim=-1),
    "random": lambda: ttnn.rand(SIZE, device, dtype=ttnn.bfloat16, seed=7),
    "layer_norm on four": layer_norm_on_four,
    "conv2d": convolution,
    "max_pool2d": largest_of_windows,
    "attention": attention,
    "multicast": lambda: multicast(device, drawn(32, 32), 3, 2),
    "trace": trace,
    "two queues": two_queues,
}
if device is None:
    print("\n".join(CASES))
    sys.exit()
kept = {}
for case in cases:
    made = [CASES[case]() for _turn in range(2)]
    results = [r for each in made for r in (each if isinstance(each, list | tuple) else [each])]
    for i, r in enumerate(results):
        kept[f"{case} {i}"] = back(r) if isinstance(r, ttnn.Tensor) else r
ttnn.close_device(device)
np.savez(out, **kept)
