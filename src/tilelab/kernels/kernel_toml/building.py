"""The ``[build]`` table of a kernel.toml: sources, and what they are compiled with."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar

from tilelab.kernels.kernel_toml.table import Table
from tilelab.tensix.tables.units import FIDELITIES

SOURCES = ("source", "reader", "writer")
"""The C++ of a [build]."""
BUFFERS = tuple(f"c_{i}" for i in range(32))
INSTALLED: Final = "tt-metal"
"""The ``headers`` that are looked for where ``ttnn`` is installed."""
T = TypeVar("T")
_NAME: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_MACRO: Final = re.compile(r"[A-Za-z_]\w*(\([\w\s,.]*\))?", re.ASCII)


@dataclass(frozen=True)
class Build:
    """How the ELFs were made: the C++ sources, the constants they were given, how Dst is used.

    ``reader`` and ``writer`` are NCRISC's and BRISC's. ``math_fidelity`` and the next three are
    named as in tt-metal's ComputeConfig; ``math_fidelity`` is "" if the source decides. What is by
    source has keys of SOURCES. ``headers`` is "" for ours, INSTALLED, or the path of a folder.
    """

    source: Path
    constants: Mapping[str, int]
    reader: Path | None = None
    writer: Path | None = None
    math_fidelity: str = ""
    fp32_dest_acc_en: bool = False
    dst_full_sync_en: bool = False
    unpack_to_dest_mode: tuple[int, ...] = ()
    """Circular buffers of fp32 that copy_tile unpacks into Dst, without loss."""
    compile_time_args: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    runtime_args: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """What ``get_compile_time_arg_val`` and ``get_arg_val`` give, by source."""
    common_runtime_args: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    named_args: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """What ``get_arg(args::NAME)`` and ``get_named_compile_time_arg_val`` give, by source."""
    defines: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Macros by source; a name may have parameters."""
    buffer_names: Mapping[str, int] = field(default_factory=dict)
    """The circular buffers' names, ``dfb::NAME`` in the source."""
    include: tuple[Path, ...] = ()
    headers: str = ""
    math_approx_mode: bool = False

    @property
    def sources(self) -> dict[str, Path]:
        """The source of each core that has one."""
        found = dict.fromkeys(("trisc0", "trisc1", "trisc2"), self.source)
        movers = {"brisc": self.writer, "ncrisc": self.reader}
        return found | {core: path for core, path in movers.items() if path is not None}


def read_build(table: Table) -> Build:
    """Read the table; BadInputError for a mistake in it."""
    source = table.file("source")
    reader, writer = (
        table.file(name) if table.has(name) else None for name in ("reader", "writer")
    )
    build = Build(
        source,
        _constants(table),
        reader,
        writer,
        table.choice("math_fidelity", FIDELITIES) if table.has("math_fidelity") else "",
        table.flag("fp32_dest_acc_en"),
        table.flag("dst_full_sync_en"),
        table.names_of("unpack_to_dest_mode", BUFFERS),
        **{name: _by_source(table, name, Table.words) for name in _WORDS},
        named_args=_by_source(table, "named_args", _named),
        defines=_by_source(table, "defines", _macros),
        buffer_names=_buffer_names(table),
        include=tuple(table.folder / name for name in table.texts("include")),
        headers=_headers(table),
        math_approx_mode=table.flag("math_approx_mode"),
    )
    table.finish()
    return build


_WORDS: Final = ("compile_time_args", "runtime_args", "common_runtime_args")


def _constants(table: Table) -> Mapping[str, int]:
    constants = table.table("constants") if table.has("constants") else None
    values = {} if constants is None else {n: constants.number(n) for n in constants.names()}
    for name, value in values.items():
        if not _NAME.fullmatch(name) or value > 0xFFFFFFFF:
            table.wrong(f"constants.{name}", "not a C++ name with a 32-bit value")
    return MappingProxyType(values)


def _by_source(table: Table, name: str, read: Callable[[Table, str], T]) -> Mapping[str, T]:
    """What a table has for each source; nothing if it is missing."""
    if not table.has(name):
        return MappingProxyType({})
    parts = table.table(name)
    given = {source: read(parts, source) for source in SOURCES if parts.has(source)}
    parts.finish()
    for source in given:
        if not table.has(source):
            parts.wrong(source, f"there is no {source}")
    return MappingProxyType(given)


def _named(parts: Table, source: str) -> Mapping[str, int]:
    """Arguments by name."""
    named = parts.table(source)
    for name in named.names():
        if not _NAME.fullmatch(name):
            named.wrong(name, "not a C++ name")
    return MappingProxyType({name: named.word(name) for name in named.names()})


def _macros(parts: Table, source: str) -> Mapping[str, str]:
    """Macros by name: of a string its text, of a number its digits."""
    named = parts.table(source)
    found = {}
    for name in named.names():
        if not _MACRO.fullmatch(name):
            named.wrong(name, "not a macro's name")
        found[name] = named.text_or_number(name)
        if "\n" in found[name]:
            named.wrong(name, "a macro is one line")
    return MappingProxyType(found)


def _buffer_names(table: Table) -> Mapping[str, int]:
    if not table.has("buffer_names"):
        return MappingProxyType({})
    names = table.table("buffer_names")
    for name in names.names():
        if not _NAME.fullmatch(name):
            names.wrong(name, "not a C++ name")
    return MappingProxyType({name: int(names.choice(name, BUFFERS)[2:]) for name in names.names()})


def _headers(table: Table) -> str:
    """Whose headers: "" for ours."""
    if not table.has("headers"):
        return ""
    text = table.text("headers")
    if text == INSTALLED:
        return text
    folder = table.folder / text
    if not folder.is_dir():
        table.wrong("headers", f'{text}: no such folder; "{INSTALLED}" is the installed one')
    return str(folder)
