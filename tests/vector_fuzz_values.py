"""Values of random vector programs: what computes them, as assembly and in NumPy."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tilelab.build.vector.text import FLOATS

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


class Values:
    """A program's lines so far, its names, and new values in them."""

    def __init__(self, seed: int, chip: str) -> None:
        self.random = random.Random(seed)
        self.chip = chip
        self.lines: list[str] = []
        self.bound: dict[str, float] = {}
        """Float variables, and what they stay below; the others are integers."""
        self.pending: list[str] = []
        """Values computed early, which something after this has to use."""
        self.variables = FLOATS[: self.random.randint(2, 7)]
        self.free = [name for name in FLOATS if name not in self.variables]
        self._constants: dict[str, Lanes] = {}

    def _emit(self, text: str) -> None:
        self.lines.append("\t" + text)

    def _name(self) -> str:
        return self.free.pop(self.random.randrange(len(self.free)))

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
