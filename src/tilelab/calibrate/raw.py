"""The cards' raw points that come with mesham/tt-sim: rows of every probe, core and thread count.

Tables of published figures have a part of them. A point is the cycles of a burst; the cost of a
word or an instruction is the slope over the bursts, less that of the empty loop, over the unroll.
"""

import csv
from collections import defaultdict

from tilelab.calibrate.checkouts import Kernels
from tilelab.calibrate.measure import Point, slope
from tilelab.calibrate.rows import Row
from tilelab.sim.errors import BadInputError

SESSION = "perfbench/card-sessions/2026-08-17-wormhole-B"
DATASETS = "tt_sim/perf/datasets"
FILES = (
    ("A1", "WH", f"{SESSION}/tensix.wormhole.csv"),
    ("A1", "BH", f"{DATASETS}/tensixbench-blackhole.csv"),
    ("A2", "WH", f"{SESSION}/rv.wormhole.csv"),
    ("A2", "BH", f"{DATASETS}/riscvbench-blackhole.csv"),
)
"""Group, chip, and where the points are."""
LOOP = "loop_overhead"
PHASES = {"A1": "a", "A2": "rtcfg"}
"""Phases of a probe that has a cost; the others look for a knee, or are whole kernels."""
NOT_A_COST = ("RDCFG_", "RMWCIB", "SETDMA_")
"""Beginnings of probes that stand for no single word, but for pairs."""
WORDS = {
    "A1": "{probe} issued as .ttinsn, cycles/instr seen by TRISC{core}, {threads} thread(s)",
    "A2": "{probe} (raw) cycles per instruction/group on TRISC{core}, {threads} TRISC(s) active",
}
"""How tables of figures say it."""


def raw_rows(kernels: Kernels) -> list[Row]:
    """A row for each series of points; BadInputError if no checkout has any."""
    rows = []
    for group, chip, path in FILES:
        content = kernels.read(path)
        if content is not None:
            rows += _rows(group, chip, path, content.decode())
    if not rows:
        raise BadInputError(f"--raw: needs {FILES[0][2]}: --kernels with a checkout of tt-sim")
    return rows


def _rows(group: str, chip: str, path: str, text: str) -> list[Row]:
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    series: dict[tuple[str, int, int], list[Point]] = defaultdict(list)
    unrolls = {}
    for point in csv.DictReader(lines):
        if point["phase"].lower() not in PHASES[group]:
            continue
        key = point["probe"], int(point["thread"]), int(point["variant"][1])
        series[key].append((int(point["n"]), int(point["cycles"])))
        unrolls[key] = int(point["unroll"])
    rows = []
    for (probe, core, threads), points in series.items():
        loop = series.get((LOOP, core, threads))
        if loop is None or probe == LOOP or probe.startswith(NOT_A_COST):
            continue
        cost = (slope(points) - slope(loop)) / unrolls[probe, core, threads]
        what = WORDS[group].format(probe=probe, core=core, threads=threads)
        name = f"raw-{chip}-{probe}-{core}-{threads}"
        rows.append(Row(name, chip, what, f"{cost:.3f}", source=path, group=f"{group} raw"))
    return rows
