"""Drives the streaming expanders of one thread by hand, without a tile."""

from tilelab.sim.kernel import OK
from tilelab.tensix.arch import arch
from tilelab.tensix.frontend.fifo import push
from tilelab.tensix.frontend.mop_expander import step_mop_expander
from tilelab.tensix.frontend.replay_expander import step_replay_expander
from tilelab.tensix.state import TensixState


class StreamingThread:
    """Pushes words and drains the wait gate until nothing moves any more."""

    def __init__(self, chip: str = "blackhole", t: int = 1) -> None:
        self.state = TensixState(arch(chip))
        self.s = self.state.s
        self.t = t

    def write_mop_cfg(self, index: int, value: int) -> None:
        self.s.frontend[self.t].mop_cfg[index] = value

    def _place(self) -> tuple[int, ...]:
        f = self.s.frontend[self.t]
        queued = (f.input_fifo.count, f.late_fifo.count)
        return (*queued, f.replay_left, f.mop_emitted, f.mop_active)

    def drain(self) -> list[int]:
        f = self.s.frontend[self.t]
        out: list[int] = []
        while True:
            before = self._place()
            if f.gate_full:
                out.append(f.gate_word)
                f.gate_full = 0
            assert step_replay_expander(self.s, self.t) == OK
            assert step_mop_expander(self.s, self.t) == OK
            after = self._place()
            if before == after and not f.gate_full:
                return out

    def push(self, word: int) -> list[int]:
        assert push(self.s, self.t, word, 0) == OK
        return self.drain()
