"""What a timed chip did, in the formats that the field's tools read.

tt-npe's trace of NoC events (``.json``); the device zones of tt-metal's profiler
(``profile_log_device*.csv``), which Tracy's post-processing and ttnn-visualizer read; a row for
each program as tt-metal's ``ops_perf_results*.csv``, which tt-perf-report and ttnn-visualizer read.
What a recording does not say is left empty: operations' names and tensors, the host's times.
Zones: of each core from the first to the last instruction of a piece. Places are physical.
Sources: tenstorrent/tt-npe@1021603, tt_npe/doc/noc_trace_format.md;
tenstorrent/tt-perf-report@00b7324; the wheel of ttnn 0.81.1, tracy/process_device_log.py.
"""

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Final

from tilelab.tensix.cycle import events
from tilelab.tensix.noc import niu as n
from tilelab.tensix.state import CORES
from tilelab.tensix.tables.causes import CORE_RETIRED
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.words.origin import BRISC, CORE_NAMES
from tilelab.trace.chip.activity import size_of
from tilelab.trace.chip.recorded import ChipRecorded, Piece
from tilelab.trace.chip.waits import Group, groups_of

ARCHES: Final = {"wormhole": "wormhole_b0", "blackhole": "blackhole"}
CALLS: Final = 1024
"""tt-metal numbers programs from here on."""
TYPES: Final = {n.READ: "READ", n.ATOMIC: "SEMAPHORE_INC", n.WRITE: "WRITE_"}
LOG_COLUMNS: Final = (
    "PCIe slot", "core_x", "core_y", "RISC processor type", "timer_id", "time[cycles since reset]",
    "data", "run host ID", "trace id", "trace id counter", "zone name", "type", "source line",
    "source file", "meta data",
)  # fmt: skip
NONE: Final = -1
"""As Tracy's post-processing has an id that is not there."""
NANOSECONDS: Final = 1000
"""In a microsecond, of which a megahertz is one."""
TENSORS: Final = tuple(
    f"{tensor}_{part}"
    for tensor in ("INPUT_0", "INPUT_1", "OUTPUT_0")
    for part in (*(f"{axis}_PAD[LOGICAL]" for axis in "WZYX"), "LAYOUT", "DATATYPE", "MEMORY")
)
RISCS: Final = ("BRISC", "NCRISC", "TRISC0", "TRISC1", "TRISC2")
OP_COLUMNS: Final = (
    "OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "DEVICE ARCH", "ATTRIBUTES",
    "MATH FIDELITY", "CORE COUNT", "AVAILABLE WORKER CORE COUNT", "PARALLELIZATION STRATEGY",
    "HOST START TS", "HOST END TS", "HOST DURATION [ns]", "DEVICE FW START CYCLE",
    "DEVICE FW END CYCLE", "OP TO OP LATENCY [ns]", "OP TO OP LATENCY BR/NRISC START [ns]",
    "DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]",
    *(f"DEVICE KERNEL DURATION PER CORE {which} [ns]" for which in ("MIN", "MAX", "AVG")),
    "DEVICE KERNEL FIRST TO LAST START [ns]",
    *(f"DEVICE {risc} KERNEL DURATION [ns]" for risc in RISCS),
    *TENSORS, "METAL TRACE ID", "METAL TRACE REPLAY SESSION ID",
    "PM IDEAL [ns]", "PM COMPUTE [ns]", "PM BANDWIDTH [ns]", "PM FPU UTIL (%)", "NOC UTIL (%)",
    "DRAM BW UTIL (%)", "NPE CONG IMPACT (%)",
)  # fmt: skip


def writer_of(path: Path) -> Callable[[ChipRecorded, IO[str]], None] | None:
    """What writes a file of that name; None for a name that is of none of these formats."""
    if path.suffix == ".json":
        return write_npe
    if path.suffix == ".csv":
        return write_zones if path.name.startswith("profile_log_device") else write_operations
    return None


def _physical(recorded: ChipRecorded, place: int) -> Place:
    at = int(recorded.chip.c.physical_at[place])
    return at & 63, at >> 6


def _zones(piece: Piece) -> Iterator[tuple[int, int, int]]:
    """Of each core that ran: its number, and from when to when."""
    for core in range(CORES):
        spans = [one for one in piece.states(events.CORE, core) if one.value == CORE_RETIRED]
        if spans:
            yield core, piece.start + spans[0].start, piece.start + spans[-1].end


# ------------------------------------------------------------------ tt-npe


def write_npe(recorded: ChipRecorded, file: IO[str]) -> None:
    """Write what was asked of the NoC as tt-npe takes it, by place, core and time."""
    found = recorded.requests
    places = list(recorded.chip.tiles)
    rows: list[dict[str, Any]] = []
    for row, size in zip(found, size_of(found).tolist(), strict=True):
        place = places[int(row["tile"])]
        if int(row["niu"]) < 2:
            rows.append(_event(recorded, row, int(size), place[0] | place[1] << 6))
    for (x, y), pieces in recorded.pieces.items():
        at = _physical(recorded, x | y << 6)
        for piece in pieces:
            for core, *ends in _zones(piece):
                rows += [_zone(at, core, *one) for one in zip(("begin", "end"), ends, strict=True)]
    rows.sort(key=lambda one: (one["sx"], one["sy"], one["proc"], one["timestamp"]))
    file.write("[\n" + ",\n".join(json.dumps(one) for one in rows) + "\n]\n")


def _zone(at: Place, core: int, phase: str, clock: int) -> dict[str, Any]:
    proc = CORE_NAMES[core]
    head = {"proc": proc, "zone": f"{proc}-KERNEL", "zone_phase": phase}
    return head | {"sx": at[0], "sy": at[1], "timestamp": clock}


def _event(recorded: ChipRecorded, row: Any, size: int, own: int) -> dict[str, Any]:
    control, to = int(row["control"]), int(row["to"])
    kind = TYPES[control & 3]
    sx, sy = _physical(recorded, own)
    made: dict[str, Any] = {
        "proc": CORE_NAMES.get(int(row["core"]), "BRISC"),
        "noc": f"NOC_{int(row['niu'])}",
        "vc": -1,
        "sx": sx,
        "sy": sy,
    }
    if control & n.BROADCAST:
        first, last = (_physical(recorded, place) for place in (to >> 12, to & 0xFFF))
        kind = "WRITE_MULTICAST"
        made |= {"mcast_start_x": first[0], "mcast_start_y": first[1]}
        made |= {"mcast_end_x": last[0], "mcast_end_y": last[1]}
    else:
        far = _physical(recorded, int(row["from"]) if kind == "READ" else to)
        made |= {"dx": far[0], "dy": far[1]}
        if control & n.INLINE and kind == "WRITE_":
            kind = "WRITE_INLINE"
    return made | {"num_bytes": size, "type": kind, "timestamp": int(row["clock"])}


# ------------------------------------------------------------------ tt-metal's profiler


def write_zones(recorded: ChipRecorded, file: IO[str]) -> None:
    """Write each core's zones as the device's profiler logs them."""
    chip = recorded.chip
    cores = len(chip.arch.layout.tensix)
    mhz = chip.arch.figures.clock_mhz.value
    file.write(
        f"ARCH: {ARCHES[chip.arch.name]}, CHIP_FREQ[MHz]: {mhz}, Max Compute Cores: {cores}\n"
    )
    file.write(", ".join(LOG_COLUMNS) + "\n")
    out = csv.writer(file, lineterminator="\n")
    for number, group in enumerate(groups_of(recorded)):
        for (x, y), piece in group:
            at = _physical(recorded, x | y << 6)
            zones = list(_zones(piece))
            kernels = [(core, f"{_family(core)}-KERNEL", a, b) for core, a, b in zones]
            whole = (BRISC, "BRISC-FW", piece.start, piece.start + piece.end)
            for core, name, start, end in [whole, *kernels]:
                timer = 2 * (CORES * name.endswith("FW") + core) + 1
                for phase, clock in (("ZONE_START", start), ("ZONE_END", end)):
                    key = [0, *at, _risc(core), timer + (phase == "ZONE_END"), clock, 0]
                    out.writerow([*key, number + CALLS, NONE, NONE, name, phase, 0, "", ""])


def _family(core: int) -> str:
    return "TRISC" if CORE_NAMES[core].startswith("TRISC") else CORE_NAMES[core]


def _risc(core: int) -> str:
    name = CORE_NAMES[core]
    return f"TRISC_{name[-1]}" if name.startswith("TRISC") else name


def write_operations(recorded: ChipRecorded, file: IO[str]) -> None:
    """Write a row for each program, as tt-metal's profiler reports operations."""
    out = csv.DictWriter(file, OP_COLUMNS, restval="", lineterminator="\n")
    out.writeheader()
    before: int | None = None
    for number, group in enumerate(groups_of(recorded)):
        row = _operation(recorded, group, before)
        before = row["DEVICE FW END CYCLE"]
        out.writerow(row | {"GLOBAL CALL COUNT": number + CALLS})


def _operation(recorded: ChipRecorded, group: Group, before: int | None) -> dict[str, Any]:
    chip = recorded.chip
    start = min(piece.start for _, piece in group)
    end = max(piece.start + piece.end for _, piece in group)
    own = [piece.end for _, piece in group]

    def ns(cycles: float) -> int:
        return round(cycles * NANOSECONDS / chip.arch.figures.clock_mhz.value)

    spans: dict[str, list[tuple[int, int]]] = {}
    for _, piece in group:
        for core, first, last in _zones(piece):
            spans.setdefault(CORE_NAMES[core], []).append((first, last))
    per_risc = {
        f"DEVICE {risc} KERNEL DURATION [ns]": ns(max(b for _, b in one) - min(a for a, _ in one))
        for risc, one in spans.items()
    }
    return per_risc | {
        "OP CODE": " + ".join(dict.fromkeys(k for _, piece in group for k in piece.kernels))
        or "firmware",
        "OP TYPE": "tt_dnn_device",
        "DEVICE ID": 0,
        "DEVICE ARCH": ARCHES[chip.arch.name],
        "CORE COUNT": len({place for place, _ in group}),
        "AVAILABLE WORKER CORE COUNT": len(chip.arch.layout.tensix),
        "DEVICE FW START CYCLE": start,
        "DEVICE FW END CYCLE": end,
        "OP TO OP LATENCY [ns]": ns(start - before) if before is not None else 0,
        "DEVICE FW DURATION [ns]": ns(end - start),
        "DEVICE KERNEL DURATION [ns]": ns(end - start),
        "DEVICE KERNEL DURATION PER CORE MIN [ns]": ns(min(own)),
        "DEVICE KERNEL DURATION PER CORE MAX [ns]": ns(max(own)),
        "DEVICE KERNEL DURATION PER CORE AVG [ns]": ns(sum(own) / len(own)),
        "DEVICE KERNEL FIRST TO LAST START [ns]": ns(max(p.start for _, p in group) - start),
    }
