"""What the functions of an IR module share: global memory's buffers, reserved buffers, and what the
cores popped and printed.

Layouts other than the order of elements are not modelled.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tilelab.pto.cluster import Cluster
from tilelab.pto.errors import IRError, StepLimitError
from tilelab.pto.ir_extents import extents
from tilelab.pto.ir_tree import Function, Module, Op, walk
from tilelab.pto.ir_types import valid_shape
from tilelab.pto.ir_words import FRONTEND_MOVES, INITIALIZERS, MOVES
from tilelab.pto.paths import ARCHS
from tilelab.pto.seat import Seat
from tilelab.pto.tile import GlobalTensor, Tile
from tilelab.sim.errors import BadInputError

MOST_ITERATIONS = 2_000_000  # of all loops of all cores together


class Pointer:
    """``!pto.ptr<T>``: an address of global memory, counted in elements."""

    def __init__(self, array: NDArray[Any], offset: int, address: int) -> None:
        self.array, self.offset, self.address = array, offset, address

    def at(self, elements: int) -> "Pointer":
        """The pointer so many elements on."""
        size = self.array.dtype.itemsize
        return Pointer(self.array, self.offset + elements, self.address + elements * size)


class View:
    """A tensor view or a part of one: where it begins, its sizes and strides in elements."""

    def __init__(self, base: Pointer, sizes: list[int], strides: list[int]) -> None:
        self.base, self.sizes, self.strides = base, sizes, strides

    @classmethod
    def whole(cls, base: Pointer, sizes: list[int]) -> "View":
        """A buffer as a tensor of these sizes, row after row."""
        return cls(base, sizes, [math.prod(sizes[at + 1 :]) for at in range(len(sizes))])

    @property
    def address(self) -> int:
        """Where it begins, in bytes."""
        return self.base.address

    def tensor(self, op: Op) -> GlobalTensor:
        """The view as rows and columns of global memory, at its address."""
        window = self.window(op)
        size = window.dtype.itemsize
        rows, cols = window.shape
        tensor = GlobalTensor(window.dtype, rows, cols, window.strides[0] // size)
        tensor.bind(window, self.base.address)
        return tensor

    def window(self, op: Op) -> NDArray[Any]:
        """The bytes as rows and columns: dimensions that follow one another are rows of one."""
        last = self.base.offset + sum(
            (n - 1) * s for n, s in zip(self.sizes, self.strides, strict=True)
        )
        if min(self.sizes) < 1 or self.base.offset < 0 or last >= self.base.array.size:
            raise IRError(
                f"{op.name}: the view reaches element {last} of a buffer of {self.base.array.size}",
                op.line,
            )
        sizes, strides = self._folded()
        if len(sizes) != 2:
            raise IRError(f"{op.name}: a view of {self.sizes} is not rows and columns", op.line)
        size = self.base.array.dtype.itemsize
        part = self.base.array[self.base.offset :]
        return np.lib.stride_tricks.as_strided(part, sizes, [s * size for s in strides])

    def _folded(self) -> tuple[list[int], list[int]]:
        dimensions = list(zip(self.sizes, self.strides, strict=True))
        while len(dimensions) > 2:
            (outer, skip), (rows, stride) = dimensions[:2]
            if outer > 1 and rows > 1 and skip != rows * stride:
                break
            dimensions[:2] = [(outer * rows, stride if rows > 1 else skip)]
        while len(dimensions) < 2:
            dimensions.insert(0, (1, self.sizes[0] * self.strides[0]))
        return [n for n, _ in dimensions], [s for _, s in dimensions]


@dataclass
class Popped:
    """One tile as tpop delivered it."""

    tile: int
    data: NDArray[Any]


def _entry_names(module: Module) -> dict[tuple[str, str], str]:
    """(kernel, parameter) to the name that the entry function passes for it."""
    found: dict[tuple[str, str], str] = {}
    by_name = {function.name: function for function in module.functions}
    for entry in module.functions:
        for op in walk(entry.body):
            if op.name in ("func.call", "call") and op.words and op.words[0] in by_name:
                end = op.words.index(")") if ")" in op.words else len(op.words)
                values = [word for word in op.words[:end] if word.startswith("%")]
                for param, value in zip(by_name[op.words[0]].params, values, strict=False):
                    found[op.words[0], param.name] = value
    return found


class World:
    """A module, the cluster that it runs on, and what its functions share."""

    def __init__(self, module: Module, arguments: dict[str, ArrayLike], options: Any) -> None:
        named = module.attributes.get("pto.arch") or module.attributes.get("pto.target_arch")
        chip = next((arch.name for arch in ARCHS.values() if named in arch.chips), named)
        arch = options.pop("arch", None) or chip or "a2a3"
        protocol = options.pop("protocol", None) or module.attributes.get("pto.protocol", "seed")
        self.module = module
        self.arguments = arguments
        self.renamed = _entry_names(module)
        self.extents = extents(module, self.renamed)
        room = 0x200000 + sum(8 * max(count, 512) for count in self.extents.values())
        room += sum(8 * np.size(given) for given in arguments.values())
        options = {"gm_bytes": max(room, 1 << 28)} | options
        self.cluster = Cluster(arch, protocol=protocol, **options)
        self.cluster.every_read = True
        self.popped: dict[str, list[Popped]] = {}
        self.printed: list[tuple[str, NDArray[Any]]] = []
        self.buffers: dict[str, Pointer] = {}
        self.iterations = 0
        for function in module.functions:  # what the assembler refuses, before anything runs
            for op in walk(function.body):
                if op.result_type.startswith("!pto.tile_buf") and op.operands:
                    valid_shape(op.result_type, [1] * len(op.operands), op.line)
        names = {p.name[1:] for f in module.functions for p in f.params}
        if unknown := sorted(set(arguments) - names - {"*"}):
            raise BadInputError(
                f"no parameter {unknown[0]!r}; there are {', '.join(sorted(names))}"
            )

    def argument(self, function: Function, name: str) -> ArrayLike | None:
        """What was given for a parameter, by its own name or the entry's."""
        outer = self.renamed.get((function.name, name), name)
        return self.arguments.get(outer[1:], self.arguments.get(name[1:]))

    def pointer(self, function: Function, name: str, dtype: Any) -> Pointer:
        """A pointer's memory: the argument's values, else 0, 1, 2, ...; one for both cores."""
        outer = self.renamed.get((function.name, name), name)
        if outer not in self.buffers:
            given = self.argument(function, name)
            values = (
                np.arange(self.extents[outer], dtype=np.int32)
                if given is None
                else np.asarray(given).reshape(-1)
            )
            size = max(values.size, 1)
            address = 0x100000 + sum(
                -(-one.array.nbytes // 4096) * 4096 for one in self.buffers.values()
            )
            view = self.cluster.gm.view(address, np.dtype(dtype), 1, size, size)
            flat = view.reshape(-1)
            with np.errstate(over="ignore"):  # half floats end before 0, 1, 2, ... does
                flat[: values.size] = values.astype(dtype)
            self.buffers[outer] = Pointer(flat, 0, address)
        return self.buffers[outer]

    def users(self, pipe: Op) -> list[Op]:
        """The operations, in all functions, that go through frontend pipes or name this one."""
        return [
            op
            for function in self.module.functions
            for op in walk(function.body)
            if op.name in MOVES
            and (op.name in FRONTEND_MOVES or not INITIALIZERS[pipe.name].frontend)
        ]

    def count(self, op: Op) -> None:
        """Count an iteration: loops that wait for nothing end, too."""
        self.iterations += 1
        if self.iterations > MOST_ITERATIONS:
            raise StepLimitError(
                f"line {op.line}: the program did not end within {MOST_ITERATIONS} iterations"
            )

    def note(self, core: Seat, number: int, tile: Tile) -> None:
        """Remember what a core popped."""
        self.popped.setdefault(core.name, []).append(Popped(number, tile.data.copy()))

    def reserve(self, function: Function, op: Op) -> int:
        """The base of a reserved buffer: its own ``base``, or the next free bytes of its place."""
        at = op.attributes
        if op.name == "pto.import_reserved_buffer":
            peers = [f for f in self.module.functions if f.name == at.get("peer_func")]
            if not peers:
                raise IRError(f"no function {at.get('peer_func')}", op.line)
            function = peers[0]
        used = 0
        for other in walk(function.body):
            if other.name != "pto.reserve_buffer":
                continue
            base = other.attributes.get("base", used)
            if other.attributes.get("name") == at.get("name"):
                return int(base)
            used = -(-(base + other.attributes.get("size", 0)) // 32) * 32
        raise IRError(f"{function.name} reserves no buffer {at.get('name')!r}", op.line)
