"""Reads ``kernel.toml``: the file that says how to run a kernel, and what it must give.

``docs/kernel-toml.md`` has the complete schema. :func:`read_kernel_file` returns frozen dataclasses
with every path absolute, every default filled in, and everything checked that can be checked before
a machine exists; each mistake is a BadInputError of one line that names the file and the key.

Not modelled: the files' contents beyond NumPy's headers, and where ELFs place their sections.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod
from os import PathLike
from pathlib import Path
from types import MappingProxyType

from tilelab.formats.l1 import FORMATS, LAYOUTS, l1_size
from tilelab.formats.layout import TILE
from tilelab.formats.placement import Placement
from tilelab.kernels.formula import Formula, formula
from tilelab.kernels.kernel_toml.building import BUFFERS, Build, read_build
from tilelab.kernels.kernel_toml.scoring import Scoring, read_scoring
from tilelab.kernels.kernel_toml.table import Table, read_array_header
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import MIB, from_here, read_file, reason
from tilelab.tensix.arch import ARCHES, arch
from tilelab.tensix.tables.cores import CORE_IDS
from tilelab.tensix.tables.l1_map import CIRCULAR_BUFFERS

CORES = tuple(sorted(CORE_IDS))
KERNEL_FILE = "kernel.toml"
LARGEST_L1 = max(arch(name).l1_size for name in ARCHES)
LARGEST = 16 * MIB
"""Bytes of the largest kernel.toml."""
NOT_BUILT = ": it is not built yet (tilelab build, or tilelab run --build)"


@dataclass(frozen=True)
class Input(Placement):
    """An array that is in L1 before the start: a .npy file, converted to ``format``.

    With ``as_bytes`` the file has the array's bytes as they lie in L1.
    """

    file: Path
    as_bytes: bool = False

    @property
    def name(self) -> str:
        """What formulas call it."""
        return self.file.stem


@dataclass(frozen=True)
class Output(Placement):
    """An array that is in L1 at the end, and what it must be.

    With ``expect``, a file, or ``formula``, every element must be within ``absolute + relative ×
    |expected|`` of it; with ``exact``, L1 must hold just those bytes. Else it is not checked.
    """

    expect: Path | None
    absolute: float
    relative: float
    exact: Path | None
    formula: Formula | None = None

    @property
    def checked(self) -> bool:
        """Whether it is compared with anything."""
        return any(one is not None for one in (self.expect, self.exact, self.formula))


@dataclass(frozen=True)
class Ring(Placement):
    """A circular buffer that is empty before the start and whose end nobody looks at."""


@dataclass(frozen=True)
class Done:
    """The kernel is done when the mailbox word of every core named here holds ``value``."""

    mailboxes: Mapping[str, int]
    value: int


@dataclass(frozen=True)
class KernelFile:
    """One kernel.toml. ``elfs`` is by core, in the order brisc, ncrisc, trisc0, trisc1, trisc2."""

    path: Path
    description: str
    arch: str
    elfs: Mapping[str, Path]
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    done: Done
    build: Build | None
    rings: tuple[Ring, ...] = ()
    scoring: Scoring | None = None

    @property
    def shown(self) -> str:
        """What messages call it."""
        return str(from_here(self.path))

    @property
    def circular_buffers(self) -> tuple[Placement, ...]:
        """What is placed as a circular buffer: of inputs, of outputs, and the rings."""
        placed = (*self.inputs, *self.outputs, *self.rings)
        return tuple(item for item in placed if item.buffer is not None)


def read_kernel_file(path: Path | str, *, elfs_exist: bool = True) -> KernelFile:
    """Read a kernel.toml, or the one in a folder; BadInputError for any mistake in it.

    ``elfs_exist=False`` accepts ELFs that are still to be built.
    """
    if not isinstance(path, str | PathLike):
        raise BadInputError(f"a kernel is named by a path, not by {path!r}")
    path = Path(path)
    try:
        path = path / KERNEL_FILE if path.is_dir() else path
        if not path.is_file():
            what = "cannot be read: it is no file" if path.exists() else "no such file"
            raise BadInputError(f"{path}: {what}")
        content = tomllib.loads(read_file(path, LARGEST).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {reason(error)}") from None
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(f"{path}: not valid TOML: {error}") from None
    except RecursionError:
        raise BadInputError(f"{path}: nested too deeply") from None
    top = Table(path, "", content)
    inputs = tuple(_input(table) for table in top.tables("inputs"))
    named = {one.name: one.file for one in inputs}
    if unclear := sorted({one.name for one in inputs if named[one.name] != one.file}):
        top.wrong("inputs", f"two files are called {unclear[0]}.npy")
    kernel = KernelFile(
        path=path.absolute(),
        description=top.text("description", ""),
        arch=top.choice("arch", ARCHES, "blackhole"),
        elfs=_elfs(top.table("elfs"), elfs_exist, NOT_BUILT if top.has("build") else ""),
        inputs=inputs,
        outputs=tuple(_output(table, named) for table in top.tables("outputs")),
        done=_done(top.table("done")),
        build=read_build(top.table("build")) if top.has("build") else None,
        rings=tuple(_ring(table) for table in top.tables("buffers")),
        scoring=read_scoring(top.table("score"), [*named]) if top.has("score") else None,
    )
    top.finish()
    if unknown := sorted(kernel.done.mailboxes.keys() - kernel.elfs.keys()):
        top.wrong(f"done.mailboxes.{unknown[0]}", f"elfs names no {unknown[0]}")
    _check_memory(top, kernel)
    return kernel


def _elfs(table: Table, exist: bool, cure: str) -> Mapping[str, Path]:
    elfs = {core: table.file(core, exist=exist, cure=cure) for core in CORES if table.has(core)}
    table.finish()
    if not elfs:
        table.wrong("", f"no core has an ELF: name at least one of {', '.join(CORES)}")
    return MappingProxyType(elfs)


def _placement(table: Table, shape: tuple[int, ...]) -> Placement:
    """The keys that inputs and outputs share."""
    placement = Placement(
        address=table.number("address", alignment=16),
        shape=shape,
        format=table.choice("format", FORMATS),
        layout=table.choice("layout", LAYOUTS),
        tiles=(),
        buffer=int(table.choice("buffer", BUFFERS)[2:]) if table.has("buffer") else None,
    )
    try:
        size = l1_size(shape, placement.format, placement.layout)
    except ValueError as error:
        table.wrong("layout", str(error))
    if size > LARGEST_L1 and not table.has("tiles"):
        table.wrong("", f"{size:,} bytes do not fit in L1")
    if placement.layout == "tile":
        return replace(placement, tiles=table.numbers("tiles", prod(shape) // TILE**2))
    if table.has("tiles"):
        table.wrong("tiles", 'only for layout = "tile"')
    if placement.buffer is not None and (len(shape) < 2 or shape[-1] % TILE or shape[-2] % TILE):
        table.wrong("buffer", f"of rows: the last two dimensions of {shape} are no multiples of 32")
    return placement


def _input(table: Table) -> Input:
    file = table.file("file")
    header = read_array_header(table, "file", file)
    as_bytes = table.has("shape")
    placement = _placement(table, table.shape("shape") if as_bytes else header[0])
    table.finish()
    if as_bytes and header != ((placement.size,), "uint8"):
        table.wrong("file", f"{file.name} is not an array of {placement.size} bytes (uint8)")
    return Input(**vars(placement), file=file, as_bytes=as_bytes)


def _ring(table: Table) -> Ring:
    tiles = table.number("tiles")
    if not 0 < tiles <= LARGEST_L1:
        table.wrong("tiles", f"{tiles} tiles are no circular buffer")
    ring = Ring(
        address=table.number("address", alignment=16),
        shape=(tiles * TILE, TILE),
        format=table.choice("format", FORMATS),
        layout="tile",
        tiles=tuple(range(tiles)),
        buffer=int(table.choice("buffer", BUFFERS)[2:]),
    )
    table.finish()
    return ring


def _output(table: Table, inputs: Mapping[str, Path]) -> Output:
    placement = _placement(table, table.shape("shape"))
    expect, said = _expected(table, inputs) if table.has("expect") else (None, None)
    exact = table.file("exact") if table.has("exact") else None
    absolute, relative = _tolerance(table)
    table.finish()
    if expect and (shape := read_array_header(table, "expect", expect)[0]) != placement.shape:
        table.wrong("expect", f"{expect.name} has shape {shape}, not {placement.shape}")
    if exact and read_array_header(table, "exact", exact) != ((placement.size,), "uint8"):
        table.wrong("exact", f"{exact.name} is not an array of {placement.size} bytes (uint8)")
    return Output(
        **vars(placement),
        expect=expect,
        absolute=absolute,
        relative=relative,
        exact=exact,
        formula=said,
    )


def _expected(table: Table, inputs: Mapping[str, Path]) -> tuple[Path | None, Formula | None]:
    """What an output must hold: a file's numbers, or a formula's."""
    text = table.text("expect")
    if text.endswith(".npy"):
        return table.file("expect"), None
    try:
        return None, formula(text, table.folder, list(inputs))
    except BadInputError as error:
        table.wrong("expect", error.summary)


def _tolerance(table: Table) -> tuple[float, float]:
    """The absolute and the relative part; a plain number is absolute."""
    if not table.has_table("tolerance"):
        return table.tolerance("tolerance"), 0.0
    parts = table.table("tolerance")
    tolerance = parts.tolerance("absolute"), parts.tolerance("relative")
    parts.finish()
    return tolerance


def _done(table: Table) -> Done:
    mailboxes = table.table("mailboxes")
    words = {core: mailboxes.number(core, alignment=4) for core in CORES if mailboxes.has(core)}
    mailboxes.finish()
    if not words:
        mailboxes.wrong("", "no core has a mailbox: nothing would tell when the kernel is done")
    value = table.number("value", 0xFF)
    table.finish()
    if not 0 < value <= 0xFFFFFFFF:
        table.wrong("value", f"{value:#x} is not a 32-bit number other than 0")
    return Done(MappingProxyType(words), value)


def _check_memory(top: Table, kernel: KernelFile) -> None:
    """What lies in L1 is inside it and apart; only an output may lie on an input (in place)."""
    inputs = [(f"inputs[{i}]", item.extent) for i, item in enumerate(kernel.inputs)]
    outputs = [(f"outputs[{i}]", item.extent) for i, item in enumerate(kernel.outputs)]
    others = [
        (f"done.mailboxes.{core}", range(address, address + 4))
        for core, address in kernel.done.mailboxes.items()
    ]
    others += [(f"buffers[{i}]", item.extent) for i, item in enumerate(kernel.rings)]
    buffers = [item.buffer for item in kernel.circular_buffers]
    for buffer in buffers:
        if buffers.count(buffer) > 1:
            top.wrong("", f"circular buffer c_{buffer} is placed twice")
    if buffers:
        others.append(("the counters of circular buffers", CIRCULAR_BUFFERS))
    size = arch(kernel.arch).l1_size
    for name, extent in (*inputs, *outputs, *others):
        if extent.stop > size:
            top.wrong(name, f"{_span(extent)} is outside L1, which ends at {size:#x}")
    _check_apart(top, [*inputs, *others])
    _check_apart(top, [*outputs, *others])


def _check_apart(top: Table, extents: Iterable[tuple[str, range]]) -> None:
    ordered = sorted((item for item in extents if item[1]), key=lambda item: item[1].start)
    for (name, extent), (next_name, next_extent) in pairwise(ordered):
        if next_extent.start < extent.stop:
            top.wrong(name, f"{_span(extent)} overlaps {next_name} {_span(next_extent)}")


def _span(extent: range) -> str:
    return f"[{extent.start:#x}, {extent.stop:#x})"
