"""A tile under the cycle clock whose frontends are fed by hand."""

from typing import Any

import numpy as np

from tilelab.report.breakdown import breakdown
from tilelab.sim.fifo import push_traced
from tilelab.tensix import Tile
from tilelab.tensix.cycle.events import ISSUE, MOP_OUT, REPLAY_OUT
from tilelab.tensix.cycle.fetch import bring
from tilelab.tensix.words.origin import HOST, origin_of

NOP = 0x02000000
MOP1 = 0x01800000  # template 1


def plain(number: int) -> int:
    """A word that every unit lets through at one per cycle, told apart by its number."""
    return 0x50200000 | number  # SETADC


def mop_cfg(*words: int) -> list[int]:
    """MopCfg for one outer iteration that emits these words."""
    start, *rest = [*words, *[NOP] * (4 - len(words))]
    # StartOp, one loop iteration (Loop0Last), EndOp0, EndOp1
    return [1, 1, start, rest[1], rest[2], NOP, NOP, rest[0], NOP]


class CycleTile:
    """Feeds words straight into input FIFOs and keeps what each stage emitted, by cycle."""

    def __init__(self, chip: str = "blackhole", engine: str = "reference", **options: int) -> None:
        self.tile = Tile(chip, engine=engine, clock="cycle", **options)
        self.s = self.tile.state.s
        self.events: list[Any] = []
        self.tile.trace(lambda batch: self.events.extend(batch.tolist()))

    def feed(self, *words: int, t: int = 1) -> None:
        """Put words into an input FIFO before the next cycle."""
        f = self.s.frontend[t]
        for word in words:
            push_traced(f.input_fifo, word, origin_of(HOST, 0))

    def mop_cfg(self, *words: int, t: int = 1) -> None:
        """Program MopCfg, all nine registers, or (fewer words) to emit just these."""
        registers = list(words) if len(words) == 9 else mop_cfg(*words)
        for i, value in enumerate(registers):
            self.s.frontend[t].mop_cfg[i] = value

    def run(self, cycles: int = 10_000) -> None:
        """Run until nothing is left to do."""
        self.tile.run(cycles)

    def emitted(self, kind: int, t: int = 1) -> list[int]:
        """The cycles in which a stage emitted, counted from its first."""
        clocks = [event[0] for event in self.events if event[1] == kind and event[2] == t]
        return [clock - clocks[0] for clock in clocks]

    def mop(self, t: int = 1) -> list[int]:
        """When the MOP expander emitted, in cycles since the start."""
        return [event[0] for event in self.events if event[1] == MOP_OUT and event[2] == t]

    def replay(self, t: int = 1) -> list[int]:
        """When the replay expander emitted."""
        return [event[0] for event in self.events if event[1] == REPLAY_OUT and event[2] == t]

    def issued(self, t: int = 1) -> list[int]:
        """When words passed the gate, counted from the first."""
        return self.emitted(ISSUE, t)

    def words(self, t: int = 1) -> list[int]:
        """What passed the gate."""
        return [event[3] for event in self.events if event[1] == ISSUE and event[2] == t]

    def operands(self) -> None:
        """Give the matrix unit bf16 ones in both banks of SrcA and SrcB."""
        record: Any = self.tile.state.record
        for name in ("src_a", "src_b"):
            record[name] = np.float32(1).view(np.uint32)
            record[f"{name}_valid"] = 1
            record[f"{name}_format"] = 5
        for name in ("ALU_FORMAT_SPEC_REG0_SrcA", "ALU_FORMAT_SPEC_REG1_SrcB"):
            self.tile.state.set_config_field(name, 5)


CODE = 0x1000
SPIN = 0x0000006F
REGISTERS = {"a0": 10, "a1": 11, "a2": 12, "a3": 13, "a4": 14, "a5": 15}


class Program:
    """A program on a core and the cycle in which each of its instructions had executed.

    Its code is in the core's instruction cache from the start, unless ``cold``.
    """

    def __init__(
        self,
        words: list[int],
        chip: str = "blackhole",
        core: int = 1,
        cold: bool = False,
        tile: Tile | None = None,
        **registers: int,
    ) -> None:
        self.tile = tile or Tile(chip, engine="reference", clock="cycle")
        self.s = self.tile.state.s
        self.core = core
        start = CODE + 0x4000 * core
        for i, word in enumerate([*words, SPIN]):
            self.s.l1_32[start // 4 + i] = word
        for line in range(start // 16, (start + 4 * len(words)) // 16 + 1):
            if not cold:
                bring(self.s, core, line + 1)
        self.hart = self.s.riscv[core]
        self.hart.pc, self.hart.running = start, 1
        self.count = len(words)
        for name, value in registers.items():
            self.hart.x[REGISTERS[name]] = value

    def cycles(self) -> int:
        """Cycles before the program's last instruction, the loop at its end, executes."""
        while self.hart.retired <= self.count:
            self.tile.run(1)
        return int(self.s.clock) - 1

    def turns(self, instructions: int, turns: int, settled: int = 2) -> float:
        """Cycles of one turn of a loop of so many instructions, once some turns have passed."""
        until = []
        for count in (settled, settled + turns):
            while self.hart.retired < instructions * count:
                self.tile.run(1)
            until.append(int(self.s.clock))
        return (until[1] - until[0]) / turns

    def spent(self, cause: int) -> int:
        """Cycles that the core lost to a cause."""
        return int(self.tile.state.record["cycle"]["core_cycles"][self.core][cause])


def adds_up(tile: Tile) -> None:
    """Every cycle of every thread, core and unit of a tile has one cause."""
    clock, record = int(tile.state.s.clock), tile.state.record["cycle"]
    assert clock
    assert np.all(record["thread_cycles"].sum(axis=1) == clock)
    assert np.all(record["core_cycles"].sum(axis=1) == clock)
    made = breakdown(tile.state)
    for part in (*made.threads, *made.cores):
        assert part.active + sum(part.idle.values()) == part.cycles == clock
        assert "at rest" not in part.idle
    for unit in made.units:
        assert unit.busy + unit.idle == clock
        assert 0 <= unit.busy <= clock
        assert sum(unit.causes.values()) == unit.idle
