"""Mutants of real kernels: each synchronisation left out, one at a time, and whether the run tells.

    python tests/pto/mutants.py PTO_ISA [--most N] [--json FILE]

A mutant leaves out one line (its `set_flag`, `wait_flag`, `pipe_barrier` or TFREE), switches off
one phase of one line's TPUSH or TPOP (allocate, record, wait, free; where that phase does something
in this program), or has a wrong number of slots, address or offset in its text. It is told if there
is a finding or an error that the original lacks, or if the original's own barrier or pair of flags
was told to be redundant (H18); then no order of the cores may show anything without it. What a run
told, its own schedule must tell again. Exit code 1 if less than 98 % are told with file and line,
if a silent one is not proved harmless, or if a finding does not come back.
"""

from __future__ import annotations

import argparse
import functools
import json
import operator
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tilelab.pto import schedules as ways
from tilelab.pto.native import machine as mc
from tilelab.pto.native.build import build
from tilelab.pto.native.program import ALLOCATE, DROP, FREE, RECORD, WAIT
from tilelab.pto.native.redundant import redundant
from tilelab.pto.native.run import Options, Outcome, run
from tilelab.pto.search import Path as Path_
from tilelab.pto.search import Ran, search
from tilelab.sim.errors import BadInputError

KERNELS = [
    ("a2a3", "tpushpop_cv", "*case4*", "sparse"),
    ("a2a3", "tpushpop_vc", "*case3*", "sparse"),
    ("a2a3", "tpushpop_dir_both", "*case1*", "sparse"),
    ("a2a3", "tpushpop_subtile", "*", "sparse"),
    ("a2a3", "tpushpop_mixed_tile_size", "*case1*", "sparse"),
    ("a2a3", "tpushpop_vc_nosplit", "*case3*", "sparse"),
    ("a5", "tpushpop_cv", "*case4*", "sparse_fixed"),
    ("a5", "tpushpop_vc", "*case3*", "sparse_fixed"),
    ("a5", "tpushpop_dir_both", "*case1*", "sparse_fixed"),
]
FLAGS = (mc.SET_FLAG, mc.WAIT_FLAG, mc.BARRIER)
TEXTS = [
    # One slot fewer is legal where nothing else knows their number: here the host's buffer does.
    ("ring one slot longer on the Cube", r"(TPipe<[^;]*?\bFIFO_DEPTH\b)", r"\1 + DAV_CUBE"),
    ("address of a tile, on the one before it",
     r"TASSIGN\((\w+), 0x(?:4000|10000|20000)\);", r"TASSIGN(\1, 0x40);"),
    ("offset of a store", r"GlobalOut globalOut\(out \+ (\w+)\);",
     r"GlobalOut globalOut(out + \1 + 0x10000000);"),
]  # fmt: skip
LIMIT = 400  # states of a proof
HARMLESS = "harmless in every order"
MUTATIONS = {
    mc.SET_FLAG: [("set_flag dropped", DROP)],
    mc.WAIT_FLAG: [("wait_flag dropped", DROP)],
    mc.BARRIER: [("pipe_barrier dropped", DROP)],
    mc.FREE: [("TFREE dropped", DROP)],
    mc.FREE_GLOBAL: [("TFREE dropped", DROP)],
    mc.PUSH: [("allocate off", ALLOCATE), ("record off", RECORD)],
    mc.POP: [("wait off", WAIT), ("free off", FREE)],
    mc.ALLOC: [("allocate off", ALLOCATE)],
    mc.PUSH_GLOBAL: [("TPUSH dropped", DROP)],
}


def told(outcome: Outcome, base: set[str]) -> str:
    """What a run says that the original does not."""
    if outcome.error is not None:
        return outcome.error.summary
    new = next((f"{f.code} {f.message}" for f in outcome.findings if f.message not in base), "")
    return new or ("the host's own check failed" if outcome.status else "")


def mutants_of(isa: Path, arch: str, name: str, case: str, protocol: str) -> list[dict[str, str]]:
    """Every mutant of one kernel's case, with what was told."""
    folder = isa / "tests" / "npu" / arch / "src" / "st" / "testcase" / name
    kernel = folder / f"{name}_kernel.cpp"
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([sys.executable, str(folder / "gen_data.py")], cwd=scratch, check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
        (Path(scratch) / "run").mkdir()
        options = Options(arch, protocol, arguments=[f"--gtest_filter={case}"], trace=False,
                          folder=Path(scratch) / "run", shown={str(kernel): kernel.name},
                          timeout=30, survey=True)  # fmt: skip
        built = build(kernel, [folder / "main.cpp"], isa, arch)
        original = run(built, options, ways.in_turn())
        assert original.error is None, original.error
        assert original.status == 0, original.output[-300:]
        base = {finding.message for finding in original.findings}
        options.survey = False
        spare = redundant(built, options, ways.STANDARD)
        lines: dict[tuple[int, str], list[Any]] = {}
        for site, place in original.sites.items():
            lines.setdefault((place.kind, place.line), []).append((site, place))
        rows = []
        for (kind, line), places in sorted(lines.items()):
            effects = functools.reduce(operator.or_, (place.effects for _, place in places))
            for what, change in MUTATIONS.get(kind, ()):
                if kind not in FLAGS and not change & effects:
                    continue  # a phase that does nothing in this program
                options.changes = dict.fromkeys([site for site, _ in places], change)
                text, again = _told_by_some(built, options, base)
                if not text and kind in FLAGS:
                    said = [one.message for one in spare if f"{line}: " in one.message]
                    text = said[0] if said else ""
                proof = "" if again else prove(built, options, base)
                rows.append({"kernel": f"{arch}/{name}", "line": line, "mutation": what,
                             "told": text, "again": again, "proof": proof})  # fmt: skip
        options.changes = {}
        return rows + list(rewritten(isa, kernel, options, base, arch))


def rewritten(
    isa: Path, kernel: Path, options: Options, base: set[str], arch: str
) -> Iterator[dict[str, str]]:
    """Mutants of the text: a wrong number of slots, a wrong offset, a wrong address."""
    text = kernel.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as scratch:
        for what, pattern, new in TEXTS:
            for found in list(re.finditer(pattern, text))[:1]:
                file = Path(scratch) / what.replace(" ", "_") / kernel.name
                file.parent.mkdir()
                for other in kernel.parent.iterdir():
                    if other.suffix in (".h", ".hpp"):
                        (file.parent / other.name).write_bytes(other.read_bytes())
                file.write_text(text[: found.start()] + found.expand(new) + text[found.end() :],
                                encoding="utf-8")  # fmt: skip
                line = f"{kernel.name}:{text.count(chr(10), 0, found.start()) + 1}"
                options.shown = {str(file): kernel.name}
                try:
                    built = build(file, [kernel.parent / "main.cpp"], isa, arch)
                except BadInputError as error:
                    told, again = f"{kernel.name}: {error.summary}", "the compiler's"
                    built = None
                else:
                    told, again = _told_by_some(built, options, base)
                proof = "" if told else prove(built, options, base)
                yield {"kernel": f"{arch}/{kernel.stem.removesuffix('_kernel')}", "line": line,
                       "mutation": what, "told": told, "again": again, "proof": proof}  # fmt: skip


def prove(built: object, options: Options, base: set[str]) -> str:
    """Whether no order of the cores shows anything that the original does not."""

    def once(path: Path_) -> Ran:
        outcome = run(built, options, path)  # type: ignore[arg-type]
        new = [finding for finding in outcome.findings if finding.message not in base]
        return Ran(new, outcome.error, outcome.schedule or path)

    verdict = search(once, LIMIT)
    if verdict.found:
        return f"told by an order: {verdict.found[0].message}"
    return HARMLESS if verdict.complete else f"harmless in {verdict.states} states"


def _told_by_some(built: object, options: Options, base: set[str]) -> tuple[str, str]:
    """What the first of some orders tells, and whether its kept schedule tells it again."""
    orders = [ways.in_turn(), ways.first("cube"), ways.first("vec"), *map(ways.at_random, range(5))]
    for order in orders:
        outcome = run(built, options, order)  # type: ignore[arg-type]
        text = told(outcome, base)
        if text:
            file = options.folder / "schedule.json"
            ways.save(file, outcome.choices, "", text)
            second = run(built, options, ways.replay(ways.load(file)))  # type: ignore[arg-type]
            return text, "replays" if told(second, base) == text else "DOES NOT REPLAY"
    return "", ""


def main() -> None:
    """Run them and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("isa", type=Path)
    parser.add_argument("--most", type=int, default=len(KERNELS))
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows: list[dict[str, str]] = []
    for kernel in KERNELS[: given.most]:
        found = mutants_of(given.isa, *kernel)
        rows += found
        silent = [row for row in found if not row["told"]]
        print(f"{kernel[0]}/{kernel[1]}: {len(found)} mutants, {len(found) - len(silent)} told")
        for row in silent:
            print(f"   not told: {row['line']} {row['mutation']}: {row['proof']}")
        sys.stdout.flush()
    located = sum(1 for row in rows if ".cpp:" in row["told"] or ".hpp:" in row["told"])
    harmless = sum(row["proof"] == "harmless in every order" for row in rows)
    unproved = [
        row for row in rows if not row["told"] and row["proof"] != "harmless in every order"
    ]
    lost = [row for row in rows if row["again"] == "DOES NOT REPLAY"]
    print(f"{len(rows)} mutants, {sum(bool(row['told']) for row in rows)} told, {located} with a "
          f"line; {sum(row['again'] == 'replays' for row in rows)} by a run, whose schedule tells "
          f"it again; {harmless} proved harmless")  # fmt: skip
    for row in [*unproved, *lost]:
        print(f"   {row}")
    kinds = Counter(row["mutation"] for row in rows)
    print(", ".join(f"{count} {kind}" for kind, count in kinds.items()))
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    sys.exit(1 if unproved or lost or located < 0.98 * len(rows) else 0)


if __name__ == "__main__":
    main()
