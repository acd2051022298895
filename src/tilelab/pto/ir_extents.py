"""How many elements a parameter's buffer needs: as far as the views reach that are made on it with
constant sizes, but at least ``LEAST`` and at most ``MOST``.
"""

import math

from tilelab.pto.ir_tree import Module, Op, walk
from tilelab.pto.ir_types import sizes_of

LEAST, MOST = 1 << 16, 1 << 24


def _numbers(op: Op, name: str, constants: dict[str, int]) -> list[int] | None:
    words = op.words
    for at, word in enumerate(words):
        if word == name and words[at + 1 : at + 3] == ("=", "[") and "]" in words[at:]:
            found = [w for w in words[at + 3 : words.index("]", at)] if w != ","]
            if all(w in constants for w in found):
                return [constants[w] for w in found]
    return None


def _reach(op: Op, constants: dict[str, int]) -> int:
    """The elements that a view covers; 0 where its sizes are not constant."""
    sizes, strides = (_numbers(op, name, constants) for name in ("shape", "strides"))
    if not sizes or not strides or len(sizes) != len(strides) or min(sizes) < 1:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))


def extents(module: Module, renamed: dict[tuple[str, str], str]) -> dict[str, int]:
    """The elements of each pointer parameter, by the name that the entry function gives it."""
    found: dict[str, int] = {}
    for function in module.functions:
        ops = walk(function.body)
        constants = {
            op.result: int(op.attributes["value"])
            for op in ops
            if op.name == "arith.constant" and isinstance(op.attributes["value"], int)
        }
        reach = {
            param.name: max(LEAST, math.prod(sizes_of(param.type, function.line)))
            for param in function.params
            if param.type.startswith(("!pto.ptr", "memref"))
        }
        for op in ops:
            if op.name == "pto.make_tensor_view" and op.words and op.words[0] in reach:
                reach[op.words[0]] = max(reach[op.words[0]], _reach(op, constants))
        for name, size in reach.items():
            outer = renamed.get((function.name, name), name)
            found[outer] = max(found.get(outer, 0), min(size, MOST))
    return found
