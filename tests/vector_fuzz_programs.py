"""Random vector programs: statements over values, as assembly and as what they do."""

from __future__ import annotations

import numpy as np

from tilelab.tensix.words.ttinsn import to_ttinsn
from vector_fuzz_values import (
    BIG,
    FLOAT,
    HOW,
    INTEGER,
    ROWS,
    STORED,
    WAY,
    WORD,
    Lanes,
    Machine,
    Mask,
    Step,
    Test,
    Values,
    bits,
    real,
    signed,
)


class Program(Values):
    """``text`` is the assembly for a chip; ``run`` changes a Machine as it does."""

    def __init__(self, seed: int, chip: str) -> None:
        super().__init__(seed, chip)
        self.labels = self.slots = self.depth = self.row = 0
        self.uniform = True
        """Whether all lanes are enabled here."""
        self.raw: list[int] = []
        """LRegs that the source's own words have set."""
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
