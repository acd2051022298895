"""What the cycle clock and a trace cost: ``python benchmarks/bench_cycles.py [--runs N] [--json]``.

Processor time of ``tile.run`` alone, for whole kernels under both clocks, the fast engine; in each
round one run of each, in turn; medians, and the ratio of medians. The target: the cycle clock costs
at most 2.5 times the functional one on the matmul kernels. Kernels: the repository's examples,
``large``: 20 MOPs that each play 32 MVMULs 16 times, where starting and polling do not count, and
``cores``: RISC-V cores alone, until they have counted far enough.
With ``--llk VECTORS ELFS`` (docs/testing.md): Tenstorrent's recorded kernels instead, the host's
polling included; of each kernel the least of the runs under each clock, and the ratio of the sums.
``again`` is the untraced run once more, so its ratio is the noise that a trace's cost, and that of
asking whether one is wanted, has to be seen in.
"""

import argparse
import json
import statistics
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench_matrix import operands

from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import load
from tilelab.tensix import Tile
from tilelab.vendor.llk.harness import TileBackend, play
from tilelab.vendor.llk.recorded import read_programs, read_vector

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
MODES = ("functional", "cycle", "again", "traced")
MOPS, LOOPS, MVMULS = 20, 16, 32
NOP, MOP = 0x02000000, 0x01800000
CODE, SPIN, END = 0x4000, 0x6F, 0x700


def kernel(tile: Tile, name: str) -> dict[int, int]:
    """Load an example; returns what to watch for its end."""
    found = read_kernel_file(EXAMPLES / name)
    load(tile, found)
    return dict.fromkeys(found.done.mailboxes.values(), found.done.value)


def large(tile: Tile) -> dict[int, int]:
    """Put a long matmul loop into the math thread."""
    operands(tile)
    frontend = tile.state.s.frontend[1]
    mvmul = tile.arch.instructions["MVMUL"]
    for slot in range(MVMULS):
        frontend.replay_buffer[slot] = mvmul.encode(dst=8 * (slot % 8))
    replay = 0x04000000 | MVMULS << 4
    for i, value in enumerate([1, LOOPS, NOP, NOP, NOP, replay, NOP, replay, replay]):
        frontend.mop_cfg[i] = value
    for _ in range(MOPS):
        tile.push(MOP)
    return {}


def cores(tile: Tile) -> dict[int, int]:
    """Let three TRISCs count to 200,000 in their own RAM, with every thread at rest."""
    program = (
        0xFFB00137,
        0x00031337,
        0xD4030313,
        0x00128293,
        0x00512223,
        0x00412383,
        0xFE629AE3,
        0x70502023,
    )
    for core in range(3):
        start = CODE + CODE * core
        tile.write(start, struct.pack("<9I", *program, SPIN))
        tile.state.s.riscv[core].pc = start
        tile.state.s.riscv[core].running = 1
    return {END: 200_000}


KERNELS: dict[str, Callable[[Tile], dict[int, int]]] = {
    "matmul": lambda tile: kernel(tile, "matmul"),
    "large": large,
    "eltwise_add": lambda tile: kernel(tile, "eltwise_add"),
    "datacopy": lambda tile: kernel(tile, "datacopy"),
    "cores": cores,
}


def seconds(setup: Callable[[Tile], dict[int, int]], mode: str) -> float:
    """Processor time of one run."""
    tile = Tile(clock="functional" if mode == "functional" else "cycle")
    watch = setup(tile)
    events: list[Any] = []
    if mode == "traced":
        tile.trace(events.append)
    start = time.process_time()
    tile.run(10_000_000, watch=watch or None)
    return time.process_time() - start


def measure(runs: int) -> dict[str, dict[str, float]]:
    """Median seconds by kernel and mode."""
    found: dict[str, dict[str, float]] = {}
    for name, setup in KERNELS.items():
        times: dict[str, list[float]] = {mode: [] for mode in MODES}
        for number in range(runs + 1):
            for mode in MODES:
                spent = seconds(setup, mode)
                if number:  # the first round warms up
                    times[mode].append(spent)
        found[name] = {mode: statistics.median(values) for mode, values in times.items()}
    return found


def recorded(vectors: Path, elfs: Path, runs: int) -> list[tuple[float, float]]:
    """Least processor time of each recorded kernel under the functional and the cycle clock."""
    found = []
    for folder in sorted(elfs.iterdir()):
        vector, programs = read_vector(vectors / folder.name), read_programs(folder)
        least = [float("inf")] * 2
        for _ in range(runs):
            for number, clock in enumerate(MODES[:2]):
                device = TileBackend(Tile(clock=clock))
                start = time.process_time()
                result = play(device, vector, programs)
                least[number] = min(least[number], time.process_time() - start)
                if result.differ:
                    raise SystemExit(f"{folder.name}: {result}")
        found.append((least[0], least[1]))
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--llk", nargs=2, type=Path, metavar=("VECTORS", "ELFS"))
    options = parser.parse_args()
    if options.llk:
        times = recorded(*options.llk, options.runs)
        plain, cycle = (1e3 * sum(column) for column in zip(*times, strict=True))
        print(f"{len(times)} kernels: {plain:.1f} ms, {cycle:.1f} ms, ratio {cycle / plain:.2f}")
        return
    found = measure(options.runs)
    if options.json:
        print(json.dumps(found))
        return
    print("ms of processor time  functional     cycle  ratio    again  ratio   traced  ratio")
    for name, times in found.items():
        plain, cycle, again, traced = (1e3 * times[mode] for mode in MODES)
        print(
            f"{name:20} {plain:11.2f} {cycle:9.2f} {cycle / plain:6.2f}"
            f" {again:8.2f} {again / cycle:6.2f} {traced:8.2f} {traced / cycle:6.2f}"
        )


if __name__ == "__main__":
    main()
