"""A stand-in for the host library of the vendor's kernel tests (tt-llk), over one tile.

The tests import ``ttexalens`` (device access) and ``tt_umd`` (the driver). :func:`install` puts
modules of these names into ``sys.modules``; their device is one
:class:`tilelab.tensix.llk.harness.TileBackend`, whatever the coordinate. Names and
signatures: tt-llk, tests/python_tests/helpers.

An error of the tile (a failed check, DeadlockError) leaves the host's next access as an exception,
with its whole report, so that the test that caused it fails with it.

Not modelled: debug information (``parse_elf``, call stacks, device print), the debug bus: these
raise TTException. A dump of the registers (``get_tensix_state``) has configuration only, no GPRs,
and of the packers the first one's.
"""

import enum
import re
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from tilelab.tensix.chips.config_registers import config_fields
from tilelab.tensix.llk.harness import SOFT_RESET, TRISC_PC, TRISC_PC_OVERRIDE, TileBackend
from tilelab.tensix.tile import Tile

REGISTERS = {
    "RISCV_DEBUG_REG_SOFT_RESET_0": SOFT_RESET,
    "RISCV_DEBUG_REG_DEST_CG_CTRL": 0xFFB12240,
}


DUMPED = {
    "alu_config": (("ALU_ROUNDING_MODE_Fpu_srnd_en", 1),),
    "unpack_tile_descriptor": tuple((f"THCON_SEC{i}_REG0_TileDescriptor", 4) for i in (0, 1)),
    "unpack_config": tuple((f"THCON_SEC{i}_REG2_Out_data_format", 4) for i in (0, 1)),
    "pack_config": (("THCON_SEC0_REG1_Row_start_section_size", 3),),
    "relu_config": (("STACC_RELU_ApplyRelu", 1),),
    "pack_dest_rd_ctrl": (("PCK_DEST_RD_CTRL_Read_32b_data", 1),),
    "pack_edge_offset": (("PCK_EDGE_OFFSET_SEC0_mask", 1),),
    "pack_counters": (("PACK_COUNTERS_SEC0_pack_per_xy_plane", 1),),
    "pack_strides": (("PCK0_ADDR_CTRL_XY_REG_0_Xstride", 4),),
}
"""Groups of a register dump: the first field of each run of configuration words, and how many."""

TensixState = make_dataclass("TensixState", DUMPED)
"""A dump of the registers, as the vendor's tests compare it: per group a dict for each section."""


class TTException(Exception):  # noqa: N818 (the vendor's name)
    """What the vendor's library raises."""


class Verbosity(enum.IntEnum):
    """Log levels of the vendor's library; accepted and ignored."""

    NONE, ERROR, WARN, INFO, VERBOSE, DEBUG = range(6)

    @classmethod
    def set(cls, value: "Verbosity") -> None:
        """Do nothing: there is no log."""


@dataclass
class Coordinate:
    """A place on the chip: there is one tile, so any will do."""

    location: Any
    device: Any = None
    context: Any = None

    @classmethod
    def create(cls, location: Any, device: Any = None, **_: Any) -> "Coordinate":
        """Make a coordinate, as the vendor's class does."""
        return cls(location, device)

    def to_str(self, *_: Any) -> str:
        """Where the one tile is."""
        return "0,0"


@dataclass
class Host:
    """The host's side: the tile that the library's functions reach, and how to make one."""

    arch: str = "blackhole"
    engine: str = "fast"
    options: dict[str, Any] = field(default_factory=dict)
    """Options of the tile."""
    warn: list[str] = field(default_factory=list)
    """Checks that only warn."""
    starts: int = 0
    """How many TRISC programs were loaded since the tile was made."""
    _backend: TileBackend | None = field(default=None, repr=False)

    @property
    def backend(self) -> TileBackend:
        """The tile, made at the first access after :meth:`renew`."""
        if self._backend is None:
            tile = Tile(self.arch, engine=self.engine, **self.options)
            for check in self.warn:
                tile.set_policy(check, "warn")
            self._backend = TileBackend(tile)
        return self._backend

    def renew(self) -> None:
        """Forget the tile: the next access is to a fresh one."""
        self._backend, self.starts = None, 0

    # ---------------------------------------------------------------- tt_exalens_lib

    def read_from_device(
        self, location: Any, addr: int, device_id: int = 0, num_bytes: int = 4, **_: Any
    ) -> bytes:
        """Read bytes of L1."""
        return self.backend.read(addr, num_bytes)

    def read_words_from_device(
        self, location: Any, addr: int, device_id: int = 0, word_count: int = 1, **_: Any
    ) -> list[int]:
        """Read 32-bit words of L1."""
        return list(struct.unpack(f"<{word_count}I", self.backend.read(addr, 4 * word_count)))

    def read_word_from_device(self, location: Any, addr: int, *_: Any, **__: Any) -> int:
        """Read a 32-bit word of L1."""
        return self.read_words_from_device(location, addr)[0]

    def write_to_device(
        self, location: Any, addr: int, data: bytes | list[int], *_: Any, **__: Any
    ) -> int:
        """Write bytes to L1; returns how many."""
        self.backend.write(addr, bytes(data))
        return len(data)

    def write_words_to_device(
        self, location: Any, addr: int, data: int | Iterable[int], *_: Any, **__: Any
    ) -> int:
        """Write 32-bit words to L1; returns how many bytes."""
        words = [data] if isinstance(data, int) else list(data)
        return self.write_to_device(location, addr, struct.pack(f"<{len(words)}I", *words))

    def load_elf(
        self,
        elf_file: str | Path,
        location: Any = None,
        risc_name: str = "",
        neo_id: int | None = None,
        return_start_address: bool = False,
        **_: Any,
    ) -> int | None:
        """Load a core's program and make its entry the reset PC, or return that instead."""
        tile, backend = self.backend.tile, self.backend
        entry = tile.load_elf(elf_file, risc_name)
        if risc_name == "brisc":
            return entry if return_start_address else None
        self.starts += 1
        if return_start_address:
            return entry
        core = int(risc_name.removeprefix("trisc"))
        backend.reg_write(TRISC_PC + 4 * core, entry)
        backend.reg_write(TRISC_PC_OVERRIDE, backend.reg_read(TRISC_PC_OVERRIDE) | 1 << core)
        return None

    def convert_coordinate(self, location: Any, *_: Any, **__: Any) -> Coordinate:
        """Make a coordinate of a location."""
        if isinstance(location, Coordinate):
            return location
        return Coordinate(location, self.devices[0], self)

    def callstack(self, *_: Any, **__: Any) -> list[Any]:
        """No frames: where a core stands is in the tile's own reports."""
        return []

    def arc_msg(self, *_: Any, **__: Any) -> list[int]:
        """Power messages are accepted: a tile has no power management."""
        return [0]

    # ---------------------------------------------------------------- context, device, block

    def check_context(self, context: Any = None) -> Any:
        """The context, which is the host itself."""
        return context or self

    def init_ttexalens(self, *_: Any, **__: Any) -> "Host":
        """Open the device; which one is not the caller's choice here."""
        return self

    def cleanup_global_context(self, *_: Any, **__: Any) -> None:
        """Close the device: nothing to do."""

    @property
    def devices(self) -> "dict[int, Host]":
        """The one device, which is the host itself."""
        return {0: self}

    @property
    def _arch(self) -> str:
        return self.arch

    def get_block(self, coordinate: Any) -> "Host":
        """The block at a coordinate, which is the host itself."""
        return self

    def get_block_locations(self, *_: Any, **__: Any) -> list[Coordinate]:
        """Where there are tiles."""
        return [Coordinate("0,0", self, self)]

    def get_tensix_registers_description(self) -> Any:
        """Whatever the caller wants to set on it: registers are not dumped."""
        return ModuleType("registers")

    def get_register_store(self, *_: Any, **__: Any) -> "Host":
        """Named tile registers, which the host itself reads and writes."""
        return self

    def read_register(self, name: str) -> int:
        """Read a named tile register."""
        return self.backend.reg_read(_register(name))

    def write_register(self, name: str, value: int) -> None:
        """Write a named tile register."""
        self.backend.reg_write(_register(name), value)

    def get_risc_debug(self, *_: Any, **__: Any) -> "Host":
        """The cores' debug interface."""
        return self

    def is_ebreak_hit(self) -> bool:
        """Never: an ebreak has raised the tile's own error at the access that reached it."""
        return False

    # ---------------------------------------------------------------- registers

    def get_tensix_state(self, *_: Any, **__: Any) -> Any:
        """Dump configuration as a dataclass: per group and section, its fields in bank 0."""
        words = self.backend.tile.state.record["config"][0]
        groups = {
            group: [named_fields(self.arch, words, first, count) for first, count in runs]
            for group, runs in DUMPED.items()
        }
        return TensixState(**groups)


def named_fields(arch: str, words: Any, first: str, count: int) -> dict[str, int]:
    """The values of all fields of ``count`` configuration words from a field's word on.

    Each by its name without its register's (``exp_section_size``); a word that no document divides
    as a whole, as ``tiledescriptor+1``.
    """
    fields = config_fields(arch)
    start = fields[first].word
    values = {}
    for word in range(start, start + count):
        inside = [f for f in fields.values() if f.space == "c" and f.word == word]
        for part in inside:
            mask = (2 << (part.hi - part.lo)) - 1
            name = _plain(part.name)
            name = part.name.lower() if name in values else name
            values[name] = int(words[word]) >> part.lo & mask
        if not inside:
            values[f"{_plain(first)}+{word - start}"] = int(words[word])
    return values


def _plain(name: str) -> str:
    """A field's name without the register's, which is spelt in capitals; in small letters."""
    return re.sub("^(?:[A-Z0-9]+_)+(?=[A-Za-z]*[a-z])", "", name).lower()


def _register(name: str) -> int:
    if name not in REGISTERS:
        raise TTException(f"tilelab's stand-in knows no register {name}: {', '.join(REGISTERS)}")
    return REGISTERS[name]


def _unavailable(what: str) -> Any:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise TTException(f"tilelab's stand-in for ttexalens has no {what}")

    return refuse


def _module(name: str, **contents: Any) -> ModuleType:
    module = ModuleType(name, "tilelab's stand-in: tilelab.tensix.llk.device")
    module.__dict__.update(contents)
    return module


def install(host: Host) -> None:
    """Put the stand-in modules, with ``host`` as their device, into ``sys.modules``."""
    elf = {"ElfFile": type("ElfFile", (), {}), "CallstackEntry": type("CallstackEntry", (), {})}
    opening = {
        "init_ttexalens": host.init_ttexalens,
        "cleanup_global_context": host.cleanup_global_context,
    }
    context = {"Context": Host, "check_context": host.check_context}
    library = {
        name: getattr(host, name)
        for name in (
            "read_from_device", "read_words_from_device", "read_word_from_device",
            "write_to_device", "write_words_to_device", "load_elf", "convert_coordinate",
            "callstack", "arc_msg", "check_context", "get_tensix_state",
        )
    }  # fmt: skip
    library |= {
        "TTException": TTException,
        "parse_elf": _unavailable("debug information"),
    }
    modules = [
        _module("ttexalens.tt_exalens_init", **opening),
        _module("ttexalens.context", **context),
        _module("ttexalens.coordinate", OnChipCoordinate=Coordinate),
        _module("ttexalens.debug_tensix", TensixDebug=_unavailable("debug bus")),
        _module("ttexalens.elf", **elf),
        _module("ttexalens.tt_exalens_lib", **library, **elf),
    ]
    package = _module(
        "ttexalens", __path__=[], OnChipCoordinate=Coordinate, Verbosity=Verbosity,
        **opening, **context,
    )  # fmt: skip
    for module in modules:
        setattr(package, module.__name__.rpartition(".")[2], module)
    for module in (package, *modules, _module("tt_umd")):
        sys.modules[module.__name__] = module
