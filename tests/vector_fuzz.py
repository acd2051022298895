"""Random programs for the allocator of LRegs: `python tests/vector_fuzz.py --programs 10000`.

Each is assembly as a compiler leaves it to the allocator (``tt.vec`` lines over 32 names), with
more values than LRegs: computed early, constants, loads of Dst, spills; under nested conditions, in
loops, on either way of a branch, beside words of the source's own that use LRegs by number. The
allocated words run on a vector unit, and leave in Dst what NumPy says. A program that does not get
its LRegs ends in a VectorError with a line of the program.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tilelab.build.vector import complete
from tilelab.build.vector.code import VectorError
from tilelab.build.vector.text import FLOATS
from tilelab.tensix.words.ttinsn import from_ttinsn, to_ttinsn
from vector_machine import CHIPS, VectorMachine

ROWS, STORED, BIG = 12, 16, 80
"""Rows that are read, where results go, and how many rows are compared."""
WORD = 4
SCRATCH, BUFFER, COUNTER, WAY = "a4", "a5", "s0", "s1"
HOW = {"<": 0, ">=": 1, "==": 2, "!=": 3, ">": 4, "<=": 5}
INTEGER, FLOAT = 0x10, 0x30
LIMIT = 1 << 22
"""Floats are whole numbers below this, so that sums and products of them are exact."""

Lanes = npt.NDArray[np.uint32]
Mask = npt.NDArray[np.bool_]


class Machine:
    """What a program computes: its variables, Dst from the counter on, and the enabled lanes."""

    def __init__(self, rows: Lanes, way: int) -> None:
        self.rows, self.way, self.base = rows.copy(), way, 0
        self.values: dict[str, Lanes] = {}
        self.own: dict[int, Lanes] = {}
        self.programmed = np.zeros(32, np.uint32)
        self.mask = np.ones(32, np.bool_)

    def write(self, name: str, value: Lanes) -> None:
        """Change a variable in the enabled lanes."""
        old = self.values.get(name, np.zeros(32, np.uint32))
        self.values[name] = np.where(self.mask, value, old)


Step = Callable[[Machine], None]
Test = Callable[[Machine], Mask]


def signed(x: Lanes) -> npt.NDArray[np.int32]:
    return x.view(np.int32)


def real(x: Lanes) -> npt.NDArray[np.float32]:
    return x.view(np.float32)


def bits(x: object) -> Lanes:
    return np.asarray(x, np.float32).view(np.uint32)


class Program:
    """``text`` is the assembly for a chip; ``run`` changes a Machine as it does."""

    def __init__(self, seed: int, chip: str) -> None:
        self.random = random.Random(seed)
        self.chip = chip
        self.lines: list[str] = []
        self.labels = self.slots = self.depth = self.row = 0
        self.uniform = True
        """Whether all lanes are enabled here."""
        self.bound: dict[str, float] = {}
        """Float variables, and what they stay below; the others are integers."""
        self.pending: list[str] = []
        """Values computed early, which something after this has to use."""
        self.raw: list[int] = []
        """LRegs that the source's own words have set."""
        self.variables = FLOATS[: self.random.randint(2, 7)]
        self.free = [name for name in FLOATS if name not in self.variables]
        self.looped: set[str] = set()
        steps = [self._first(name) for name in self.variables]
        steps += [self._statement() for _ in range(self.random.randint(4, 22))]
        steps += [self._use(name) for name in [*self.pending]]
        steps += [self._store(name) for name in self.variables]
        steps += [self._raw_store(n) for n in [*self.raw]]
        self.run = _all(steps)

    @property
    def text(self) -> str:
        head = ['\t.file\t1 "p.cpp"', "\t.type\tf, @function", "f:"]
        lines = []
        for i, line in enumerate(self.lines):
            lines += [f"\t.loc\t1 {i + 1} 0", line]
        return "\n".join([*head, *lines, "\tret", "\t.size\tf, .-f"]) + "\n"

    def _emit(self, text: str) -> None:
        self.lines.append("\t" + text)

    def _name(self) -> str:
        return self.free.pop(self.random.randrange(len(self.free)))

    # values

    def _any(self, real_ones: bool) -> str | None:
        names = [n for n in (*self.variables, *self.pending) if (n in self.bound) == real_ones]
        return self.random.choice(names) if names else None

    def _operand(self, real_ones: bool) -> tuple[str, float, bool]:
        """The name of a value, what it stays below, and whether the name is free after its use."""
        name = self._any(real_ones)
        if name and self.random.random() < 0.75:
            return name, self.bound.get(name, 0), False
        number = self.random.choice([0, 1, -1, 2, 5, -3] if real_ones else [0, 1, 7, -9, 70000, 3])
        word = int(bits(number)) if real_ones else number & 0xFFFFFFFF
        made = self._name()
        self._emit(f"tt.vec const d>{made} value={word}")
        self._constants[made] = np.full(32, word, np.uint32)
        return made, abs(number), True

    _constants: dict[str, Lanes]

    def _computed(self, real_ones: bool) -> tuple[str, float, Callable[[Machine], Lanes]]:
        """A new name with a result in it."""
        self._constants = {}
        constants = self._constants
        kind = self.random.random()
        if kind < 0.2:
            return self._loaded(real_ones)
        a, x, drop_a = self._operand(real_ones)
        b, y, drop_b = self._operand(real_ones)
        made = self._name()
        text, bound, function = self._operation(made, a, b, (x, y), real_ones)
        self._emit("tt.vec " + text)
        self.free += [name for name, drop in ((a, drop_a), (b, drop_b)) if drop and name != made]

        def value(m: Machine) -> Lanes:
            known = m.values | constants
            return function(known[a], known[b])

        return made, bound, value

    def _loaded(self, real_ones: bool) -> tuple[str, float, Callable[[Machine], Lanes]]:
        """Even rows hold integers, odd ones floats below 8."""
        row = 2 * self.random.randrange(ROWS // 2) + real_ones
        made = self._name()
        mode = f"instr_mod0={WORD} sfpu_addr_mode={self._still}"
        if self.random.random() < 0.2:
            self.lines.append(f"\tli\ta3, {2 * row}")
            self._emit(f"tt.vec SFPLOAD lreg_ind>{made} {mode} $a3,{SCRATCH},{BUFFER}")
        else:
            self._emit(f"tt.vec SFPLOAD lreg_ind>{made} {mode} dest_reg_addr={2 * row}")
        return made, 8, lambda m: m.rows[m.base + row]

    @property
    def _still(self) -> int:
        return 3 if self.chip == "wormhole" else 7

    def _operation(
        self, d: str, a: str, b: str, below: tuple[float, float], real_ones: bool
    ) -> tuple[str, float, Callable[[Lanes, Lanes], Lanes]]:
        if real_ones:
            return self._real(d, a, b, below)
        kind = self.random.randrange(7)
        wormhole = self.chip == "wormhole"
        bitwise = f"lreg_dest<>{d},{a} lreg_c={b}"
        if not wormhole:
            bitwise = f"lreg_dest>{d} imm12_math={a} lreg_c={b} instr_mod1=1"
        if kind == 0:
            return f"SFPIADD lreg_dest<>{d},{a} lreg_c={b} instr_mod1=4", 0, np.add
        if kind == 1:
            return f"SFPIADD lreg_dest<>{d},{a} lreg_c={b} instr_mod1=6", 0, lambda x, y: y - x
        if kind == 2:
            n = self.random.randint(-2048, 2047)
            text = f"SFPIADD lreg_dest>{d} lreg_c={a} imm12_math={n & 0xFFF} instr_mod1=5"
            return text, 0, lambda x, _y: x + np.uint32(n & 0xFFFFFFFF)
        if kind == 3:
            return f"SFPAND {bitwise}", 0, np.bitwise_and
        if kind == 4:
            return f"SFPOR {bitwise}", 0, np.bitwise_or
        if kind == 5:
            return f"SFPXOR lreg_dest<>{d},{a} lreg_c={b}", 0, np.bitwise_xor
        return f"SFPNOT lreg_dest>{d} lreg_c={a}", 0, lambda x, _y: ~x

    def _real(
        self, d: str, a: str, b: str, below: tuple[float, float]
    ) -> tuple[str, float, Callable[[Lanes, Lanes], Lanes]]:
        x, y = below
        kind = self.random.randrange(4)
        if kind == 0 and x * y + x < LIMIT:
            text = f"SFPMAD lreg_dest>{d} lreg_src_a={a} lreg_src_b={b} lreg_src_c={a} instr_mod1=0"
            return text, x * y + x, lambda p, q: bits(real(p) * real(q) + real(p) + 0)
        if kind == 1 and x * y < LIMIT:
            text = f"SFPMUL lreg_dest>{d} lreg_src_a={a} lreg_src_b={b} lreg_src_c=9 instr_mod1=0"
            return text, x * y, lambda p, q: bits(real(p) * real(q) + 0)
        if kind <= 2 and x + y < LIMIT:
            text = f"SFPADD lreg_dest>{d} lreg_src_a=10 lreg_src_b={a} lreg_src_c={b} instr_mod1=0"
            return text, x + y, lambda p, q: bits(real(p) + real(q) + 0)
        text = f"SFPABS lreg_dest>{d} lreg_c={a} instr_mod1=1"
        return text, x, lambda p, _q: p & np.uint32(0x7FFFFFFF)

    # statements

    def _first(self, name: str) -> Step:
        real_ones = self.random.random() < 0.35
        made, bound, value = self._loaded(real_ones)
        self._emit(f"fmv.s\t{name}, {made}")
        self.free.append(made)
        if real_ones:
            self.bound[name] = bound
        return lambda m: m.write(name, value(m))

    def _statement(self) -> Step:
        kind = self.random.random()
        if kind < 0.14 and self.depth < 3:
            return self._conditional()
        if kind < 0.19 and self.depth < 2:
            return self._loop()
        if kind < 0.23 and self.depth < 2:
            return self._branch()
        if kind < 0.43 and not self.depth and len(self.pending) < 9:
            return self._early()
        if kind < 0.53 and self.pending and not self.depth:
            return self._use(self.random.choice(self.pending))
        if kind < 0.60:
            return self._store(self.random.choice(self.variables))
        if kind < 0.64 and self.depth == 0:
            return self._advance()
        if kind < 0.68:
            return self._exchange()
        if kind < 0.71 and self.uniform:
            return self._program()
        if kind < 0.75:
            return self._spill()
        if kind < 0.77 and not self.depth and len(self.raw) < 2:
            return self._raw_set()
        return self._change()

    def _assign(self, name: str, made: str) -> None:
        self._emit(f"tt.vec assign d>{name} old={name} new={made}")
        self.free.append(made)

    def _change(self) -> Step:
        name = self.random.choice(self.variables)
        made, bound, value = self._computed(name in self.bound)
        self._assign(name, made)
        if name in self.bound:
            if self.looped and bound > 64:
                self._emit(f"tt.vec const d>{made} value=0")
                self.free.remove(made)
                self._assign(name, made)
                return lambda m: m.write(name, np.zeros(32, np.uint32))
            self.bound[name] = max(bound, self.bound[name])
        return lambda m: m.write(name, value(m))

    def _early(self) -> Step:
        """A value that is needed later."""
        real_ones = self.random.random() < 0.4
        if self._any(real_ones) is None:
            real_ones = not real_ones
        made, bound, value = self._computed(real_ones)
        self.pending.append(made)
        if real_ones:
            self.bound[made] = bound

        def step(m: Machine) -> None:
            m.values[made] = value(m).copy()

        return step

    def _use(self, name: str) -> Step:
        self.pending.remove(name)
        self.bound.pop(name, None)
        self.free.append(name)
        return self._store(name)

    def _store(self, name: str) -> Step:
        row = STORED + self.row % (BIG - STORED - 24)
        if self.random.random() < 0.2:
            row = self.random.randrange(ROWS // 2) * 2 + (name in self.bound)
            if name in self.bound and self.bound[name] > 8:
                row = STORED
        self.row += 1
        mode = f"instr_mod0={WORD} sfpu_addr_mode={self._still}"
        self._emit(f"tt.vec SFPSTORE lreg_ind={name} {mode} dest_reg_addr={2 * row}")

        def step(m: Machine) -> None:
            at = m.base + row
            m.rows[at] = np.where(m.mask, m.values[name], m.rows[at])

        return step

    def _advance(self) -> Step:
        """Dst's counter goes on by two rows, of which the loads take integers and floats."""
        word = 0x38 << 24 | 4 << 14
        self._emit(f".word {to_ttinsn(word):#x}")

        def step(m: Machine) -> None:
            m.base += 2

        return step

    def _exchange(self) -> Step:
        """Two variables of a kind, exchanged, or floats in order."""
        a = self.random.choice(self.variables)
        others = [n for n in self.variables if n != a and (n in self.bound) == (a in self.bound)]
        if not others:
            return self._change()
        b = self.random.choice(others)
        order = a in self.bound and self.random.random() < 0.5
        c, d = self._name(), self._name()
        self._emit(f"tt.vec SFPSWAP lreg_dest<>{c},{a} lreg_src_c<>{d},{b} instr_mod1={order:d}")
        self._assign(a, c)
        self._assign(b, d)
        if a in self.bound:
            self.bound[a] = self.bound[b] = max(self.bound[a], self.bound[b])

        def step(m: Machine) -> None:
            x, y = m.values[a], m.values[b]
            first, second = y, x
            if order:
                first = bits(np.minimum(real(x), real(y)) + 0)
                second = bits(np.maximum(real(x), real(y)) + 0)
            m.write(a, first)
            m.write(b, second)

        return step

    def _program(self) -> Step:
        """LReg[12], of which each row gets a value's first eight lanes; and a read of it."""
        source, target = self._any(False), None
        integers = [n for n in self.variables if n not in self.bound]
        if source is None or not integers:
            return self._change()
        target = self.random.choice(integers)
        made = self._name()
        self._emit(f"tt.vec SFPCONFIG config_dest=12 @0={source}")
        self._emit(f"tt.vec read d>{made} n=12")
        self._assign(target, made)

        def step(m: Machine) -> None:
            m.programmed = np.tile(m.values[source][:8], 4)
            m.write(target, m.programmed)

        return step

    def _spill(self) -> Step:
        """A name that the compiler has no register for."""
        name, slot = self.random.choice(self.variables), f"{4 * self.slots}(sp)"
        self.slots += 1
        self._emit(f"fsw\t{name}, {slot}")
        self._emit(f"flw\t{name}, {slot}")
        return lambda _m: None

    def _raw_set(self) -> Step:
        n, value = self.random.randrange(8), self.random.randrange(1 << 15)
        if n in self.raw:
            return self._change()
        self.raw.append(n)
        word = 0x71 << 24 | n << 20 | 2 << 16 | value
        self._emit(f".word {to_ttinsn(word):#x}")

        def step(m: Machine) -> None:
            m.own[n] = np.full(32, value, np.uint32)

        return step

    def _raw_store(self, n: int) -> Step:
        row = BIG - 24 + len(self.raw)
        self.raw.remove(n)
        word = 0x72 << 24 | n << 20 | WORD << 16 | self._mode_bits | 2 * row
        self._emit(f".word {to_ttinsn(word):#x}")

        def step(m: Machine) -> None:
            m.rows[m.base + row] = m.own[n]

        return step

    @property
    def _mode_bits(self) -> int:
        return 3 << 14 if self.chip == "wormhole" else 7 << 13

    def _inside(self, count: int) -> Step:
        self.depth += 1
        steps = [self._statement() for _ in range(count)]
        self.depth -= 1
        return _all(steps)

    def _conditional(self) -> Step:
        uniform, self.uniform = self.uniform, False
        condition, test = self._condition(2)
        self._emit("tt.vec SFPPUSHC! instr_mod1=0")
        self._emit(f"tt.vec cond! c={condition}")
        self.free.append(condition)
        body, other = self._inside(self.random.randint(1, 3)), None
        if self.random.random() < 0.5:
            self._emit("tt.vec SFPCOMPC!")
            other = self._inside(self.random.randint(1, 2))
        self._emit("tt.vec SFPPOPC! instr_mod1=0")
        self.uniform = uniform

        def step(m: Machine) -> None:
            before = m.mask
            holds = test(m)
            m.mask = before & holds
            body(m)
            if other:
                m.mask = before & ~holds
                other(m)
            m.mask = before

        return step

    def _condition(self, depth: int) -> tuple[str, Test]:
        if depth and self.random.random() < 0.4:
            a, p = self._condition(depth - 1)
            b, q = self._condition(depth - 1)
            how = self.random.randrange(2)
            made = self._name()
            self._emit(f"tt.vec bool d>{made} a={a} b={b} how={how}")
            self.free += [a, b]
            return made, (lambda m: p(m) | q(m)) if how else (lambda m: p(m) & q(m))
        name, sign = self.random.choice(self.variables), self.random.choice([*HOW])
        made = self._name()
        if name in self.bound:
            half, sign = self.random.randint(-5, 4) + 0.5, self.random.choice("<>")
            how = HOW[sign] | FLOAT
            self._emit(f"tt.vec cmp d>{made} a={name} value={int(bits(half))} how={how}")
            less = sign == "<"
            return made, lambda m: (real(m.values[name]) < half) == less
        number = self.random.choice([0, 0, 1, -3, 100, 5000, -70000])
        word, how = number & 0xFFFFFFFF, HOW[sign] | INTEGER
        self._emit(f"tt.vec cmp d>{made} a={name} value={word} how={how}")
        return made, lambda m: _compares(m.values[name], number, sign)

    def _loop(self) -> Step:
        """Twice; floats stay below 64 in it, for what grew would grow again."""
        label = f".L{self.labels}"
        self.labels += 1
        counter = f"s{2 + self.depth}"
        outer, self.looped = self.looped, {label}
        self._emit(f"li\t{counter}, 2")
        self.lines.append(f"{label}:")
        large = [name for name in self.variables if self.bound.get(name, 0) > 64]
        for name in large:
            made = self._name()
            self._emit(f"tt.vec const d>{made} value=0")
            self._assign(name, made)
        self.bound |= {name: 64 for name in self.variables if name in self.bound}
        body = self._inside(self.random.randint(1, 3))
        self._emit(f"addi\t{counter}, {counter}, -1")
        self._emit(f"bnez\t{counter}, {label}")
        self.looped = outer

        def step(m: Machine) -> None:
            for _ in range(2):
                for name in large:
                    m.write(name, np.zeros(32, np.uint32))
                body(m)

        return step

    def _branch(self) -> Step:
        """One of two ways, which the core chooses."""
        other, end = f".L{self.labels}", f".L{self.labels + 1}"
        self.labels += 2
        self._emit(f"beqz\t{WAY}, {other}")
        bound = dict(self.bound)
        yes = self._inside(self.random.randint(1, 2))
        self._emit(f"j\t{end}")
        self.lines.append(f"{other}:")
        after, self.bound = self.bound, bound
        no = self._inside(self.random.randint(1, 2))
        self.lines.append(f"{end}:")
        self.bound = {name: max(after[name], self.bound[name]) for name in self.bound}
        return lambda m: yes(m) if m.way else no(m)


def _all(steps: list[Step]) -> Step:
    def run(m: Machine) -> None:
        for step in steps:
            step(m)

    return run


def _compares(x: Lanes, number: int, sign: str) -> Mask:
    y = np.full(32, number & 0xFFFFFFFF, np.uint32)
    if sign in ("==", "!="):
        return (x == y) == (sign == "==")
    if number == 0:
        zero = {"<": np.less, ">=": np.greater_equal, ">": np.greater, "<=": np.less_equal}
        return np.asarray(zero[sign](signed(x), 0))
    less = signed(x - y) < 0 if sign in ("<", ">=") else signed(y - x) < 0
    return less if sign in ("<", ">") else ~less


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
    """Run programs on both chips and count; AssertionError for the first that is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0, help="the first program")
    given = parser.parse_args()
    units = {chip: Unit(chip) for chip in CHIPS}
    counts: Counter[str] = Counter()
    start = time.process_time()
    for i in range(given.programs):
        for chip, unit in units.items():
            counts[f"{chip}: {fate(given.seed + i, chip, unit)}"] += 1
    for name, count in sorted(counts.items()):
        print(f"{name} {count}")
    print(f"{given.programs} programs in {time.process_time() - start:.0f} s of processor time")


if __name__ == "__main__":
    main()
