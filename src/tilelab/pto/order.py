"""What is known to happen before what: vector clocks of every hardware pipe of every core.

An instruction is an event of its pipe. `set_flag` and the cross-core signals carry what their
pipe has done;
`wait_flag`, the cross-core waits and `pipe_barrier` hand it on. Two events that no chain of
these joins may happen
in either order on the hardware, whatever order a run shows.
Source: pto-isa docs/isa/scalar/ops/pipeline-sync; `pipe_barrier` within PIPE_V as its kernels
use it on A2/A3.
"""

from __future__ import annotations

from collections import deque

PIPES = ("S", "V", "MTE1", "MTE2", "MTE3", "M", "FIX")
EVENTS = 8  # event ids of a pair of pipes

Clock = list[int]
Agent = int  # core * len(PIPES) + pipe


class Order:
    """The clocks of a cluster's cores; core 0 is the Cube. `in_order`: pipes that need no barrier
    in themselves.
    """

    def __init__(self, cores: int, barriers: tuple[str, ...]) -> None:
        self.size = cores * len(PIPES)
        self.cores = cores
        self.loose = {PIPES.index(pipe) for pipe in barriers}
        self.clocks: list[Clock] = [[0] * self.size for _ in range(self.size)]
        self.times: list[int] = [0] * self.size  # events of each pipe so far
        self.local: dict[tuple[int, int, int, int], deque[tuple[Clock, int]]] = {}
        self.sent: dict[tuple[int, int], deque[Clock]] = {}  # by counter
        self.arrived: dict[tuple[int, int], deque[Clock]] = {}  # by lane and flag: not yet joined

    @staticmethod
    def agent(core: int, pipe: str) -> Agent:
        """The number of a core's pipe."""
        return core * len(PIPES) + PIPES.index(pipe)

    def event(self, agent: Agent) -> int:
        """An instruction starts on a pipe; returns its time there."""
        self.times[agent] = time = self.times[agent] + 1
        return time

    def done(self, agent: Agent) -> None:
        """The instruction is issued: an in-order pipe needs nothing to see it."""
        if agent % len(PIPES) not in self.loose:
            self.clocks[agent][agent] = self.times[agent]

    def before(self, other: Agent, time: int, agent: Agent) -> bool:
        """Whether the event of `other` at `time` is known to have ended when `agent` starts its
        next.
        """
        return time <= self.clocks[agent][other]

    def snapshot(self, agent: Agent) -> Clock:
        """All that a signal of this pipe says."""
        clock = self.clocks[agent][:]
        clock[agent] = self.times[agent]
        return clock

    def join(self, agent: Agent, clock: Clock) -> None:
        """This pipe now knows what `clock` knows."""
        mine = self.clocks[agent]
        for index, time in enumerate(clock):
            mine[index] = max(mine[index], time)

    def join_core(self, core: int, clock: Clock) -> None:
        """Every pipe of a core knows it."""
        for agent in range(core * len(PIPES), (core + 1) * len(PIPES)):
            self.join(agent, clock)

    # -- inside a core

    def set_flag(self, core: int, source: int, target: int, event: int, where: int) -> int:
        """`set_flag`; returns how many of this event are now set."""
        key = (core, source, target, event)
        queue = self.local.setdefault(key, deque())
        queue.append((self.snapshot(core * len(PIPES) + source), where))
        return len(queue)

    def wait_flag(self, core: int, source: int, target: int, event: int) -> bool:
        """`wait_flag`; False where nothing set the event."""
        queue = self.local.get((core, source, target, event))
        if not queue:
            return False
        self.join(core * len(PIPES) + target, queue.popleft()[0])
        return True

    def barrier(self, core: int, pipe: int | None) -> None:
        """`pipe_barrier` of one pipe, or of all."""
        base = core * len(PIPES)
        if pipe is not None:
            self.clocks[base + pipe][base + pipe] = self.times[base + pipe]
            return
        union = self.snapshot(base)
        for agent in range(base + 1, base + len(PIPES)):
            union = [max(a, b) for a, b in zip(union, self.snapshot(agent), strict=True)]
        self.join_core(core, union)

    def standing(self) -> list[tuple[int, int, int, int, int, int]]:
        """Events set and never waited for: core, source, target, event, how many, where the last
        was set.
        """
        return [(*key, len(queue), queue[-1][1]) for key, queue in self.local.items() if queue]
