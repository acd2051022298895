"""Gives a tile the words of an assembled program, of several threads too."""

from pathlib import Path

from tilelab.sim.kernel import OK
from tilelab.tensix.cycle.cores import accepts
from tilelab.tensix.frontend.fifo import mop_pending, push
from tilelab.tensix.riscv.sources import Sources
from tilelab.tensix.run.stuck import forget_stuck
from tilelab.tensix.state import THREADS, TensixState
from tilelab.tensix.words.assembly import Program, Statement
from tilelab.tensix.words.origin import HOST, origin_of


class Feeder:
    """Gives a tile an assembly program's words, each thread at its own pace."""

    def __init__(self, program: Program, state: TensixState, sources: Sources) -> None:
        self.state = state
        sources.host_file = Path(program.file).name
        self.statements: list[list[Statement]] = [[] for _ in range(THREADS)]
        for statement in program.statements:
            self.statements[statement.thread].append(statement)
        self.given = [0] * THREADS

    @property
    def pending(self) -> bool:
        """Whether there is anything left to give."""
        return any(given < len(self.statements[t]) for t, given in enumerate(self.given))

    def give(self) -> bool:
        """Before a round: give each thread its next statement if it can; whether one could."""
        given = sum(self._give(t) for t in range(THREADS))
        if given:
            forget_stuck(self.state.s)
        return given > 0

    def _give(self, t: int) -> bool:
        if self.given[t] == len(self.statements[t]):
            return False
        s, statement = self.state.s, self.statements[t][self.given[t]]
        if statement.mop_cfg is not None:
            if mop_pending(s, t):
                return False
            s.frontend[t].mop_cfg[statement.mop_cfg] = statement.word
        elif not accepts(s, t) or push(s, t, statement.word, origin_of(HOST, statement.line)) != OK:
            return False
        self.given[t] += 1
        return True

    def mark(self) -> list[int]:
        """How far each thread's statements are given."""
        return list(self.given)

    def reset(self, mark: list[int]) -> None:
        """Go back to where that was."""
        self.given = list(mark)
