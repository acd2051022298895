"""Run by a Python that has ttnn: ``ttnn_models.py OUT.npz CASE…`` keeps operands and results.

A result is under its case's name, operand N under ``CASE N``.
"""

import sys
from collections.abc import Callable

import numpy as np
import ttnn
from ttnn_tensors import back, device, numbers, put

Tensors = list[ttnn.Tensor]
OPERANDS: dict[str, list[tuple[tuple[int, int], float]]] = {
    "mul": [((64, 64), 1), ((64, 64), 1)],
    "mlp": [((64, 128), 1), ((128, 256), 0.1), ((1, 256), 0.1), ((256, 64), 0.1), ((1, 64), 0.1)],
    "attention": [((64, 64), 1), ((64, 64), 1), ((64, 64), 1)],
    "typecast uint16": [((64, 64), 100)],
    "typecast int32": [((64, 64), 100)],
}
"""Shapes and standard deviations; one of 64 x 64 and 1 for a case that is not here."""


def mlp(x: ttnn.Tensor, *weights: ttnn.Tensor) -> ttnn.Tensor:
    """Two layers."""
    w1, b1, w2, b2 = weights
    return ttnn.linear(ttnn.linear(x, w1, bias=b1, activation="gelu"), w2, bias=b2)


def attention(q: ttnn.Tensor, k: ttnn.Tensor, v: ttnn.Tensor) -> ttnn.Tensor:
    """One head."""
    scores = ttnn.mul(ttnn.matmul(q, ttnn.transpose(k, 0, 1)), 1 / 8)
    return ttnn.matmul(ttnn.softmax(scores, dim=-1), v)


OPERATIONS: dict[str, Callable[..., ttnn.Tensor]] = {
    **{name: getattr(ttnn, name) for name in ("relu", "exp", "log", "gelu", "tanh", "mul")},
    "sum": lambda x: ttnn.sum(x, dim=-1),
    "mean": lambda x: ttnn.mean(x, dim=-1),
    "max": lambda x: ttnn.max(x, dim=-1),
    "softmax": lambda x: ttnn.softmax(x, dim=-1),
    "layer_norm": ttnn.layer_norm,
    "typecast float32": lambda x: ttnn.typecast(x, ttnn.float32),
    "typecast uint16": lambda x: ttnn.typecast(x, ttnn.uint16),
    "typecast int32": lambda x: ttnn.typecast(x, ttnn.int32),
    "mlp": mlp,
    "attention": attention,
}
POSITIVE = ("log", "typecast uint16")

out, *cases = sys.argv[1:]
kept: dict[str, np.ndarray] = {}
for case in cases:
    drawn = [
        numbers(shape, i + 1, s) for i, (shape, s) in enumerate(OPERANDS.get(case, [((64, 64), 1)]))
    ]
    operands = [np.abs(x) for x in drawn] if case in POSITIVE else drawn
    kept |= {f"{case} {i}": x for i, x in enumerate(operands)}
    kept[case] = back(OPERATIONS[case](*(put(x, "bf16") for x in operands)))
ttnn.close_device(device)
np.savez(out, **kept)
