"""Recorded host traffic, played to the drop-in library and to the vendor's (``bench chip``)."""

import ctypes
import os
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from llvmlite import binding

from tilelab.bench.apart import Apart, Memory
from tilelab.bench.backends import UnableError
from tilelab.bench.measure import Spread, spread
from tilelab.bench.ttsim import LIBRARIES, VARIABLE
from tilelab.sim.errors import BadInputError
from tilelab.sim.texts import text_of
from tilelab.tensix.arch import arch as arch_named
from tilelab.tensix.tables.layout import HostSide, Place
from tilelab.traffic.calls import CallLog, read_any
from tilelab.traffic.condense import condensed
from tilelab.traffic.recording import Event
from tilelab.traffic.sniff import is_recording
from tilelab.vendor.library.folder import lay_out
from tilelab.vendor.library.shim import THREADS

FOLDER: Final = "TILELAB_TTNN"
WRITE, READ, POLL, ASIDE = range(4)
PATIENCE: Final = 100_000
Access = tuple[int, int, bytes]
"""What kind, at which address of the host, which data."""


def aim(about: HostSide, place: Place, address: int) -> tuple[int, list[Access]]:
    """Where in the last window an address of a place is, and what aims the window there."""
    windows = about.windows[-1]
    number = windows.first
    shift = windows.size.bit_length() - 1
    entry = address >> shift | (place[0] | place[1] << 6) << about.address_bits - shift
    data = entry.to_bytes(about.entry_bytes, "little")
    at = about.bar0 + about.entries + about.entry_bytes * number
    step = 4 if about.entry_bytes % 8 else 8
    words = [(WRITE, at + i, data[i : i + step]) for i in range(0, len(data), step)]
    return about.bar0 + windows.base + address % windows.size, words


def accesses(about: HostSide, events: tuple[Event, ...], stride: int = 0) -> Iterator[Access]:
    """A recording as accesses of the host, as its driver makes them; devices are a stride apart."""
    for event in events:
        first = event.device * stride
        if event.kind in "BI":
            base = about.bar0 if event.kind == "B" else about.bar2
            yield WRITE, first + base + event.address, event.data
        elif event.kind == "N":
            yield ASIDE, first + about.bar0 + event.address, event.data
        elif event.kind == "M":
            raise UnableError("a recording with broadcasts by the host is not played")
        else:
            at, words = aim(about, event.places[0], event.address)
            yield from ((kind, first + there, data) for kind, there, data in words)
            yield {"W": WRITE, "R": READ, "P": POLL}[event.kind], first + at, event.data


class Recorded(NamedTuple):
    """A recording of any form as a benchmark plays it."""

    arch: str
    chips: int
    tiles: tuple[Place, ...]
    """That the host writes to."""
    made: list[Access]


def read_accesses(recording: str | Path) -> Recorded:
    """Read a recording of any form."""
    read = read_any(recording)
    try:
        events = tuple(condensed(read)) if isinstance(read, CallLog) else read.events
    except BadInputError as error:
        raise UnableError(str(error)) from error
    layout = arch_named(read.arch).layout
    stride = layout.several.stride if layout.several else 0
    made = list(accesses(layout.host, events, stride))
    return Recorded(read.arch, read.chips, read.tiles, made)


class Player:
    """Plays one recording to one library; ``library``: a file, or None for one laid out here.

    ``processors``: on how many one laid out here runs tiles, at most; None: on all.
    """

    def __init__(self, recording: str, library: str | None, processors: int | None = None) -> None:
        if processors:
            os.environ[THREADS] = str(processors)
        arch, chips, tiles, made = read_accesses(recording)
        if library is None:
            self._folder = tempfile.TemporaryDirectory()
            one = tiles if len(tiles) == 1 else None
            library = str(lay_out(Path(self._folder.name), arch, one, chips=chips))
        self.device: Any = ctypes.CDLL(library)
        self._kept = [ctypes.create_string_buffer(data, len(data)) for _, _, data in made]
        rows = [
            struct.pack("<qqqq", kind, address, len(data), ctypes.addressof(kept))
            for (kind, address, data), kept in zip(made, self._kept, strict=True)
        ]
        self._events = b"".join(rows)
        self._count = len(rows)
        self._play = self._compile()

    def _compile(self) -> Callable[..., int]:
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        text = text_of(__package__, "player.ll")
        target = binding.Target.from_default_triple().create_target_machine()
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(text), target)
        self._engine.finalize_object()
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        kinds = (pointer, pointer, pointer, ctypes.c_char_p, number, number)
        return ctypes.CFUNCTYPE(number, *kinds)(self._engine.get_function_address("play"))

    def play(self) -> float:
        """Seconds from a chip that powers up to the last reply."""
        names = ("pci_mem_rd_bytes", "pci_mem_wr_bytes", "clock")
        functions = [
            ctypes.cast(getattr(self.device, f"libttsim_{name}"), ctypes.c_void_p) for name in names
        ]
        begin = time.perf_counter()
        self.device.libttsim_init()
        wrong = self._play(*functions, self._events, self._count, PATIENCE)
        seconds = time.perf_counter() - begin
        self.device.libttsim_exit()
        if wrong >= 0:
            raise UnableError(f"the reply to access {wrong} of the recording does not come")
        return seconds


@dataclass(frozen=True)
class TrafficRow:
    """One recording: milliseconds of each library, and memory.

    ``ours`` on one processor, ``together`` on all; ``ratio`` and ``ratio_together`` say how many
    times as fast as the vendor's that is, ``gain`` as one processor.
    """

    name: str
    accesses: int
    ours: Spread
    together: Spread
    vendors: Spread
    ratio: Spread
    ratio_together: Spread
    gain: Spread
    memory: Memory
    vendors_memory: Memory


def recordings(missing_is_well: bool = False) -> list[Path]:
    """The recordings at hand; UnableError, with what to set, if there are none."""
    folder = os.environ.get(FOLDER)
    if not folder and missing_is_well:
        return []
    if not folder or not Path(folder).is_dir():
        raise UnableError(f"{FOLDER} names no folder with recordings of host traffic")
    kinds = ("*.txt", "*.txt.xz", "*.bin", "*.bin.xz")
    named = sorted(path for kind in kinds for path in Path(folder).glob(kind))
    found = [path for path in named if is_recording(path)]
    if not found:
        raise UnableError(f"{folder} holds no recordings ({', '.join(kinds)})")
    return found


def measure_traffic(
    runs: int, note: Callable[[str], None], missing: dict[str, str]
) -> list[TrafficRow]:
    """Play every recording to both libraries, in turn, ``runs`` times.

    Each run has a process of its own, as programs have: the vendor's chip is fresh only once.
    ``missing`` is told why one cannot be played, by its name.
    """
    vendors = os.environ.get(VARIABLE)
    if not vendors:
        raise UnableError(f"{VARIABLE} names no folder with the vendor's simulator")
    rows = []
    for path in recordings():
        try:
            read = read_accesses(path)
            if read.chips > 1:
                raise UnableError("the vendor's library at hand is for one chip")
        except UnableError as error:
            missing[path.name] = str(error)
            continue
        library = str(Path(vendors) / LIBRARIES[read.arch])
        row = _measure(path, len(read.made), library, runs, note)
        rows.append(row)
    return rows


def _measure(
    path: Path, count: int, vendors: str, runs: int, note: Callable[[str], None]
) -> TrafficRow:
    ways: dict[str, tuple[str | None, int | None]] = {
        "ours": (None, 1),
        "together": (None, None),
        "vendors": (vendors, None),
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    memory: dict[str, Memory] = {}
    for turn in range(runs):
        for name, (library, processors) in ways.items():
            note(f"{path.name}, run {turn + 1} of {runs}")
            player = Apart(partial(Player, str(path), library, processors))
            try:
                taken[name].append(1000 * player.call("play"))
                memory[name] = player.memory()
            finally:
                player.close()

    def times(slow: str, fast: str) -> Spread:
        return spread([a / b for a, b in zip(taken[slow], taken[fast], strict=True)])

    return TrafficRow(
        path.name.partition(".")[0],
        count,
        spread(taken["ours"]),
        spread(taken["together"]),
        spread(taken["vendors"]),
        times("vendors", "ours"),
        times("vendors", "together"),
        times("ours", "together"),
        memory["ours"],
        memory["vendors"],
    )
