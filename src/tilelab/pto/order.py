"""What is known to happen before what: vector clocks of every hardware pipe of every core.

An instruction is an event of its pipe. ``set_flag`` and the cross-core signals carry what their
pipe has done; ``wait_flag``, the cross-core waits and ``pipe_barrier`` hand it on. Two events that
no chain of these joins may happen in either order on the hardware, whatever order a run shows.
Source: pto-isa docs/isa/scalar/ops/pipeline-sync; ``pipe_barrier`` within PIPE_V as its kernels use
it on A2/A3.
"""

from collections import deque
from typing import Generic, TypeVar

from tilelab.pto.flags import SUBBLOCK_ALIAS

PIPES = ("S", "V", "MTE1", "MTE2", "MTE3", "M", "FIX")
EVENTS = 8  # event ids of a pair of pipes
BUFFERS = 27  # ids of A5's get_buf and rls_buf (PTOAS#81)

Clock = list[int]
Agent = int  # core * len(PIPES) + pipe


class Order:
    """The clocks of all cores; 0 is the Cube. ``barriers``: pipes that need one in themselves.

    ``by_setter``: events are counted by the pipe that sets them, whichever pipe is to wait.
    """

    def __init__(self, cores: int, barriers: tuple[str, ...], by_setter: bool = False) -> None:
        self.size = cores * len(PIPES)
        self.cores = cores
        self.loose = {PIPES.index(pipe) for pipe in barriers}
        self.clocks: list[Clock] = [[0] * self.size for _ in range(self.size)]
        self.times: list[int] = [0] * self.size  # events of each pipe so far
        self.by_setter = by_setter
        # By core, setting pipe, waiting pipe and event: clock, place, waiting pipe.
        self.local: dict[tuple[int, int, int, int], deque[tuple[Clock, int, int]]] = {}
        self.released: dict[tuple[int, int], Clock] = {}  # by core and buffer: at rls_buf
        self.held: dict[tuple[int, int], tuple[int, int]] = {}  # and by which pipe, where

    @staticmethod
    def agent(core: int, pipe: str) -> Agent:
        """The number of a core's pipe."""
        return core * len(PIPES) + PIPES.index(pipe)

    @staticmethod
    def core_of(agent: Agent) -> int:
        """The core of a pipe."""
        return agent // len(PIPES)

    def event(self, agent: Agent) -> int:
        """An instruction starts on a pipe; returns its time there."""
        self.times[agent] = time = self.times[agent] + 1
        return time

    def done(self, agent: Agent) -> None:
        """The instruction is issued: an in-order pipe needs nothing to see it."""
        if agent % len(PIPES) not in self.loose:
            self.clocks[agent][agent] = self.times[agent]

    def before(self, other: Agent, time: int, agent: Agent) -> bool:
        """Whether the event of ``other`` at ``time`` has ended before ``agent`` goes on."""
        return time <= self.clocks[agent][other]

    def snapshot(self, agent: Agent) -> Clock:
        """All that a signal of this pipe says."""
        clock = self.clocks[agent][:]
        clock[agent] = self.times[agent]
        return clock

    def join(self, agent: Agent, clock: Clock) -> None:
        """This pipe now knows what ``clock`` knows."""
        mine = self.clocks[agent]
        for index, time in enumerate(clock):
            mine[index] = max(mine[index], time)

    def join_core(self, core: int, clock: Clock) -> None:
        """Every pipe of a core knows it."""
        for agent in range(core * len(PIPES), (core + 1) * len(PIPES)):
            self.join(agent, clock)

    # -- inside a core

    def set_flag(self, core: int, source: int, target: int, event: int, where: int) -> int:
        """``set_flag``; returns how many of this event are now set."""
        queue = self.local.setdefault(self._key(core, source, target, event), deque())
        queue.append((self.snapshot(core * len(PIPES) + source), where, target))
        return len(queue)

    def _key(self, core: int, source: int, target: int, event: int) -> tuple[int, int, int, int]:
        return core, source, -1 if self.by_setter else target, event

    def wait_flag(self, core: int, source: int, target: int, event: int) -> tuple[int, int] | None:
        """``wait_flag``; where the event was set and for which pipe, None where nothing set it."""
        queue = self.local.get(self._key(core, source, target, event))
        if not queue:
            return None
        clock, where, meant = queue.popleft()
        self.join(core * len(PIPES) + target, clock)
        return where, meant

    def get_buffer(self, core: int, pipe: int, buffer: int, where: int) -> tuple[int, int] | None:
        """``get_buf``: the pipe goes on behind the last ``rls_buf``; who holds it, if any does."""
        held = self.held.get((core, buffer))
        self.held[core, buffer] = pipe, where
        if clock := self.released.get((core, buffer)):
            self.join(core * len(PIPES) + pipe, clock)
        return held

    def release_buffer(self, core: int, pipe: int, buffer: int) -> bool:
        """``rls_buf``; False where this pipe does not hold it."""
        held = self.held.pop((core, buffer), None)
        self.released[core, buffer] = self.snapshot(core * len(PIPES) + pipe)
        return held is not None and held[0] == pipe

    def barrier(self, core: int, pipe: int | None) -> None:
        """``pipe_barrier`` of one pipe, or of all."""
        base = core * len(PIPES)
        if pipe is not None:
            self.clocks[base + pipe][base + pipe] = self.times[base + pipe]
            return
        union = self.snapshot(base)
        for agent in range(base + 1, base + len(PIPES)):
            union = [max(a, b) for a, b in zip(union, self.snapshot(agent), strict=True)]
        self.join_core(core, union)

    def standing(self) -> list[tuple[int, int, int, int, int, int]]:
        """Events never waited for: core, source, target, event, count, where the last was set."""
        return [
            (key[0], key[1], queue[-1][2], key[3], len(queue), queue[-1][1])
            for key, queue in self.local.items()
            if queue
        ]


_Time = TypeVar("_Time", int, float)


class Mail(Generic[_Time]):
    """What the cross-core signals carry: clocks on their way, by the core that waits and the flag
    as that core names it. As ``FlagBank`` counts them: A2/A3 broadcasts and joins, A5 does neither.
    """

    def __init__(self, reduces: bool, vec: int) -> None:
        self.reduces = reduces
        self._lanes = tuple(range(vec))
        self._sent: dict[tuple[int, int], deque[list[_Time]]] = {}
        self._arrived: dict[
            tuple[int, int], deque[list[_Time]]
        ] = {}  # by lane and flag: not yet joined

    def signal(self, core: int, flag: int, clock: list[_Time]) -> None:
        """A core signals by a flag as the trace names it: the Cube's has its lane in it."""
        if core:
            self.from_vec(flag, core - 1, clock)
        else:
            self.from_cube(flag % SUBBLOCK_ALIAS, (flag // SUBBLOCK_ALIAS,), clock)

    def from_cube(self, flag: int, lanes: tuple[int, ...], clock: list[_Time]) -> None:
        """The Cube signals ``lanes`` (A2/A3: all of them), when ``pipe`` has come so far."""
        for lane in self._lanes if self.reduces else lanes:
            self._send(lane + 1, flag, clock)

    def from_vec(self, flag: int, lane: int, clock: list[_Time]) -> None:
        """A Vector core signals the Cube."""
        if not self.reduces:
            self._send(0, flag + SUBBLOCK_ALIAS * lane, clock)
            return
        queues = [self._arrived.setdefault((one, flag), deque()) for one in self._lanes]
        queues[lane].append(clock)
        if all(queues):
            clocks = [queue.popleft() for queue in queues]
            self._send(0, flag, [max(times) for times in zip(*clocks, strict=True)])

    def _send(self, core: int, flag: int, clock: list[_Time]) -> None:
        self._sent.setdefault((core, flag), deque()).append(clock)

    def take(self, core: int, flag: int) -> list[_Time] | None:
        """The clock of the signal that a core has waited for; None for one sent before the run."""
        queue = self._sent.get((core, flag))
        return queue.popleft() if queue else None
