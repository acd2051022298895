"""Random programs for the allocator of LRegs: `python tests/vector_fuzz.py --programs 10000`.

Each is assembly as a compiler leaves it to the allocator (``tt.vec`` lines over 32 names), with
more values than LRegs: computed early, constants, loads of Dst, spills; under nested conditions, in
loops, on either way of a branch, beside words of the source's own that use LRegs by number. The
allocated words run on a vector unit, and leave in Dst what NumPy says. A program that does not get
its LRegs ends in a VectorError with a line of the program.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np

from tilelab.build.vector import complete
from tilelab.build.vector.code import VectorError
from tilelab.tensix.words.ttinsn import from_ttinsn
from vector_fuzz_programs import Program
from vector_fuzz_values import BIG, BUFFER, STORED, WAY, WORD, Lanes, Machine, bits
from vector_machine import CHIPS, VectorMachine


class Unit:
    """A chip's vector unit, and of the core what the programs' other lines need."""

    def __init__(self, chip: str) -> None:
        self.machine = VectorMachine(chip)
        self.lreg = self.machine.record["lreg"]
        self.still = 3 if chip == "wormhole" else 7
        self.filled = self.dst = np.zeros(0, np.uint32)
        assert self.machine.attempt_word(0x8A00300A) == ""  # SFPENCC: flags predicate lanes

    def _move(self, name: str, row: int) -> None:
        mode = {"lreg_ind": 0, "instr_mod0": WORD, "sfpu_addr_mode": self.still}
        self.machine.run(name, **mode, dest_reg_addr=2 * row)

    def _fill(self, rows: Lanes) -> None:
        """Put rows into Dst; those that were put there last are kept."""
        self.machine.record["lane_flags"] = 0xFFFFFFFF
        self.machine.run("SETRWC", bit_mask=4)
        if not np.array_equal(rows, self.filled):
            for row, values in enumerate(rows):
                self.lreg[0] = values
                self._move("SFPSTORE", row)
            self.filled, self.dst = rows.copy(), self.machine.record["dst"].copy()
        self.machine.record["dst"][:] = self.dst

    def run(self, text: str, rows: Lanes, way: int) -> Lanes:
        """Dst's rows after a program."""
        self._fill(rows)
        self.lreg[:8] = 0xDEADBEEF
        self._lines(text.splitlines(), {WAY: way, BUFFER: 0})
        assert self.machine.record["lane_flags"] == 0xFFFFFFFF
        self.machine.run("SETRWC", bit_mask=4)
        found = rows.copy()
        changed = (self.machine.record["dst"] != self.dst).any(axis=1)
        for four in sorted({int(i) // 16 for i in np.flatnonzero(changed)}):
            for row in range(4 * four, 4 * four + 4):
                self._move("SFPLOAD", row)
                found[row] = self.lreg[0]  # IndexError: beyond what any program stores
        return found

    def _lines(self, lines: list[str], registers: dict[str, int]) -> None:
        labels = {line[:-1]: i for i, line in enumerate(lines) if line.endswith(":")}
        at = labels["f"]
        while True:
            at += 1
            words = re.sub(r"#.*", "", lines[at]).replace(",", " ").split()
            if words[:1] == ["ret"]:
                return
            if words[:1] == [".word"]:
                self._word(from_ttinsn(int(words[1], 0) & 0xFFFFFFFF))
            elif words and not words[0].startswith(".") and not words[0].endswith(":"):
                jump = self._core(words, registers)
                at = labels[jump] if jump else at

    def _core(self, words: list[str], r: dict[str, int]) -> str:
        name, first, *rest = words
        if name == "li":
            r[first] = int(rest[0], 0)
        elif name == "addi":
            r[first] = r[rest[0]] + int(rest[1])
        elif name == "or":
            r[first] = r[rest[0]] | r[rest[1]]
        elif name == "sw":
            assert rest == [f"0({BUFFER})"]
            self._word(r[first])
        else:
            taken = {"j": True, "beqz": r.get(first) == 0, "bnez": r.get(first) != 0}[name]
            return words[-1] if taken else ""
        return ""

    def _word(self, word: int) -> None:
        said = self.machine.attempt_word(word)
        assert said == "", f"{word:#010x}: {said}"


def drawn(seed: int) -> Lanes:
    """Rows of Dst: integers and small whole floats in turn; results' rows begin with a mark."""
    generator = np.random.default_rng(seed)
    rows = np.full((BIG, 32), 0xABCD0000, np.uint32)
    rows[:STORED:2] = generator.integers(0, 1 << 32, (STORED // 2, 32), dtype=np.uint32)
    rows[1:STORED:2] = bits(generator.integers(-7, 8, (STORED // 2, 32)))
    return rows


def fate(seed: int, chip: str, unit: Unit) -> str:
    """What becomes of a program: right, or too many values; AssertionError for all else."""
    program, rows = Program(seed, chip), drawn(seed // 100)
    try:
        text = complete(program.text, chip, Path("p.cpp"))
    except VectorError as error:
        said = error.summary
    else:
        said = ""
    if said:
        found = re.match(r"p\.cpp:(\d+): (.*LReg.*)", said)
        assert found, said
        assert 1 <= int(found[1]) <= len(program.lines)
        return "too many"
    for way in (0, 1) if WAY in text else (0,):
        expected = Machine(rows, way)
        program.run(expected)
        assert np.array_equal(unit.run(text, rows, way), expected.rows), f"{chip}, seed {seed}"
    return "right"


def main() -> None:
    """Run programs on both chips and count; AssertionError for the first that is wrong.

    Who interrupts it gets the counts so far.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="the first program")
    given = parser.parse_args()
    units = {chip: Unit(chip) for chip in CHIPS}
    counts: Counter[str] = Counter()
    start = time.process_time()
    i = -1
    with suppress(KeyboardInterrupt):
        for i in range(given.programs):
            for chip, unit in units.items():
                counts[f"{chip}: {fate(given.seed + i, chip, unit)}"] += 1
    for name, count in sorted(counts.items()):
        print(f"{name} {count}")
    print(f"{i + 1} programs in {time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()
