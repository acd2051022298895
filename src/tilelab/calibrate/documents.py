"""Figures that the ISA documents state: what the cycle clock charges for the same."""

import re

from tilelab.calibrate.machine import NotRunError
from tilelab.calibrate.perfbench import Perfbench
from tilelab.calibrate.rows import Figures, Part, Row
from tilelab.tensix.arch import arch
from tilelab.tensix.cycle.reads import SHARED_SPEED
from tilelab.tensix.tables.figures import (
    L1_BANKS,
    LINE_BYTES,
    LOADS_UNDER_WAY,
    MOVER_BYTES,
    MOVER_CYCLES,
    ChipFigures,
)
from tilelab.tensix.tables.units import FIDELITIES

PRODUCTS = 16
"""MVMULs of the product of two tiles."""
LOADS = (
    (r"local RAM", "local_ram"),
    (r"semaphores|mailbox|PCBuf", "sync"),
    (r"GPR|config", "config"),
    (r"NoC|TDMA|overlay", "tile"),
    (r"L1", "l1"),
)


def _instruction(row: Row) -> float | None:
    """The latency of the first instruction that a row names, or its period where it says IPC."""
    chip = arch(row.chips[0])
    names = re.match(r"([A-Z][A-Z0-9]+)\b", row.what)
    if names is None or names[1] not in chip.instructions:
        return None
    timing = chip.instructions[names[1]].timing
    latency = re.search(r"latency|family|CAS|ATINCGETPTR", row.what)
    return float(timing.latency.value if latency else timing.interval.value)


def ideal_matmul(bench: Perfbench, row: Row, chip: str, found: re.Match[str]) -> list[Part]:
    """Cycles of the products of a tile by fidelity, if nothing is waited for."""
    each = arch(chip).instructions["MVMUL"].timing.interval.value * PRODUCTS
    return [
        Part(name, silicon, float(each * (1 + FIDELITIES.index(name))))
        for name, silicon in zip(found["names"].split("/"), row.numbers, strict=True)
    ]


def _several(row: Row) -> list[Part] | None:
    """What the clock charges where a row states several figures."""
    if row.what.startswith("unpacker L1 fetch x1/x2/x4"):
        rates = arch(row.chips[0]).figures.unpack_bytes
        each = zip(("x1", "x2", "x4"), row.numbers, rates, strict=True)
        return [Part(name, silicon, float(rate.value)) for name, silicon, rate in each]
    if row.what.startswith("L1: banks x width"):
        banks, width = row.numbers
        return [
            Part("banks", banks, float(L1_BANKS.value)),
            Part("width", width, 8.0 * LINE_BYTES.value),
        ]
    return None


def _together(chip: ChipFigures) -> float:
    """The most lines of L1 that both unpackers get in a cycle."""
    bytes_ = [rate.value for rate in chip.unpack_bytes]
    speeds = range(len(bytes_))
    got = SHARED_SPEED if chip.unpack_shares.value else [n // 3 for n in range(len(SHARED_SPEED))]
    both = [
        bytes_[got[3 * one + other]] + bytes_[got[3 * other + one]]
        for one in speeds
        for other in speeds
    ]
    return max(both) / LINE_BYTES.value


def _l1(row: Row, chip: ChipFigures) -> float | None:
    """What the clock charges units for L1; None: it is of something else."""
    if row.what.startswith("packer L1 write"):
        return chip.pack_bytes.value / LINE_BYTES.value
    if re.match(r"L1 non-atomic accumulate", row.what):
        return chip.pack_accumulates.value / 2
    if re.match(r"both unpackers joint", row.what):
        return _together(chip)
    if re.match(r"mover L1->L1, ideal", row.what):
        return 8 * MOVER_BYTES / MOVER_CYCLES.value
    if row.what.startswith("mover"):
        raise NotRunError("L1's ports are not modelled one by one, so nobody is in the mover's way")
    if re.match(r"ThCon memory request period", row.what):
        return float(arch(row.chips[0]).instructions["STOREIND"].timing.interval.value)
    return None


def _noc(row: Row) -> float | None:
    """What a chip's clock charges on the NoC."""
    times = arch(row.chips[0]).noc_times
    ways = {
        "NIU to router hop": times.into_network,
        "router to router hop": times.hop,
        "router to NIU hop": times.out_of_network,
    }
    if row.what == "flit width":
        return 8.0 * times.flit_bytes.value
    if row.what.startswith(("router buffer", "packet: header flits")):
        raise NotRunError("routers have no buffers here, and packets are as long as requests")
    way = ways.get(row.what)
    return None if way is None else float(way.value)


def charged(row: Row) -> Figures | None:
    """What the clock charges for what a row of the documents states; None: no such figure."""
    if several := _several(row):
        return several
    chip = arch(row.chips[0]).figures
    for part in (_l1(row, chip), _noc(row)):
        if part is not None:
            return part
    if found := re.fullmatch(r"RISC-V load latency: (.+)", row.what):
        place = next((name for pattern, name in LOADS if re.search(pattern, found[1])), None)
        return float(chip.load_latency[place].value) if place else None
    if row.what.startswith("mispredicted branch"):
        return float(chip.mispredicted.value)
    if re.match(r"RISC-V stores to L1|L1 narrow write", row.what):
        return float(chip.store_time.value)
    if row.what.startswith("RISC-V sustained L1 loads"):
        return 32 * LOADS_UNDER_WAY.value / (chip.load_latency["l1"].value - 1)
    if row.what.startswith("Dst block unreadable"):
        return arch(row.chips[0]).timing.dst_blocked - 1.0
    if row.what.startswith("MOVD2B: only MOVD2B"):
        return arch(row.chips[0]).instructions["MOVD2B"].timing.latency.value - 1.0
    if row.what.startswith("MOP expander transition"):
        return 1.0
    return _instruction(row)
