"""Scores the tasks' solutions: ``python tests/score_tasks.py [--update] [NAME…]``.

``--update`` writes the cycles that they take to ``src/tilelab/score/tasks/cycles.toml``.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import tilelab
from tilelab.score.result import Score
from tilelab.score.tasks import Task, tasks, write

CYCLES = Path(tilelab.__file__).parent / "score" / "tasks" / "cycles.toml"
HEAD = "# Cycles of the solutions under the cycle clock: python tests/score_tasks.py --update\n"
CHIPS = ("blackhole", "wormhole")


def solved(some: list[Task], chips: tuple[str, ...]) -> list[tuple[Task, str, Score]]:
    """Every task's solution, scored on chips."""
    with tempfile.TemporaryDirectory() as at:
        pairs = [(one, chip) for one in some for chip in chips]
        folders = []
        for one, chip in pairs:
            folder = Path(at, f"{one.name}-{chip}")
            folder.mkdir()
            write(one, folder, chip, solved=True)
            folders.append(folder)
        found = tilelab.score(folders)
    return [(one, chip, score) for (one, chip), score in zip(pairs, found, strict=True)]


def main() -> int:
    """Run as the module's text says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()
    some = [one for one in tasks().values() if not given.names or one.name in given.names]
    found = solved(some, CHIPS)
    lines = []
    for one, chip, score in found:
        cycles = score.cycles.value if score.cycles else 0
        worst = f"{score.ulp.worst.ulp:.2f} ulp" if score.ulp else ""
        print(f"{one.name:20} {chip:10} {cycles:8,} {worst:10} {score.category} {score.message}")
        lines.append((one.name, chip, cycles))
    if given.update:
        table = {
            one.name: dict(one.cycles) for one in sorted(tasks().values(), key=lambda one: one.name)
        }
        for name, chip, cycles in lines:
            table[name][chip] = cycles
        rows = [
            f"{name} = {{ {', '.join(f'{chip} = {n}' for chip, n in row.items())} }}\n"
            for name, row in table.items()
        ]
        CYCLES.write_text(HEAD + "".join(rows), encoding="utf-8")
    return int(any(score.category for _, _, score in found))


if __name__ == "__main__":
    sys.exit(main())
