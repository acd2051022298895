"""One Cube core and its Vector cores: memories, flags, and a scheduler that never hangs.

A core program is a generator function of its ``Core``. The scheduler resumes any core whose awaited
counter is positive; when there is none, the program is deadlocked and ``DeadlockError`` says why.
Nothing here depends on time or threads, so the same program and schedule give the same trace; time
is read off it afterwards (``tilelab.pto.cycles``).

Not modelled: the order of hardware pipes inside a core.
"""

import inspect
import random
from collections.abc import Callable, Generator, Sequence
from typing import Any

from tilelab.pto.core import Core
from tilelab.pto.deadlock import explain
from tilelab.pto.errors import (
    Finding,
    FlagLeakError,
    FlagLeakWarning,
    PipeConfigError,
    ProtocolOrderError,
    StepLimitError,
)
from tilelab.pto.journal import Policy
from tilelab.pto.seat import Seat
from tilelab.pto.shared import Shared
from tilelab.pto.trace import Result
from tilelab.pto.watch import Watch

Program = Callable[[Core], Generator[Any, None, Any]]
Chooser = Callable[[list[str]], int]
Schedule = str | int | random.Random | Chooser


class Cluster(Shared):
    """A Cube core and ``vec`` Vector cores of one architecture ("a2a3" or "a5"), under one
    protocol.

    Policies ("raise", "warn", "record"): ``hazards`` for what the hardware would do in silence,
    ``capacity`` for addresses outside a memory, ``constraints`` for tile operations on the wrong
    places, ``leaks`` for flags left at the end. ``flag_bits`` is the width of a counter. Flags and
    memory outlive a run, as on the hardware. ``cycles``: note what a clock must know
    (``tilelab.pto.cycles.clock``). ``slots``: a depth for every pipe, or by FlagID, whatever it
    declares.
    """

    def __init__(
        self,
        arch: str = "a2a3",
        vec: int = 2,
        protocol: str = "seed",
        flag_bits: int = 4,
        hazards: Policy = "raise",
        capacity: Policy = "warn",
        constraints: Policy = "warn",
        leaks: Policy = "warn",
        gm_bytes: int = 1 << 28,
        trace: bool = True,
        cycles: bool = False,
        slots: int | dict[int, int] | None = None,
    ) -> None:
        policy = {
            "hazard": hazards, "capacity": capacity, "constraint": constraints, "leak": leaks,
        }  # fmt: skip
        super().__init__(arch, vec, protocol, flag_bits, policy, gm_bytes, trace, cycles, slots)
        self.cores: list[Core] = []
        self.choices: list[str] = []  # the cores as they ran, where that order was chosen

    # -- running

    def run(
        self,
        cube: Program | None = None,
        vec: Program | Sequence[Program | None] | None = None,
        schedule: Schedule = "rr",
        max_steps: int = 100_000_000,
    ) -> Result:
        """Run the core programs to their end; one program for all Vector cores, or one (or None)
        for each.

        ``schedule``: "rr" (in turn), "cube_first", "vec_first", a seed, a ``random.Random``, or a
        function that is given the names of the cores that can run and returns the chosen one's
        place among them. Raises DeadlockError, a hazard, StepLimitError, or whatever a program
        raises.
        """
        lanes = list(vec) if isinstance(vec, Sequence) else [vec] * self.vec
        if len(lanes) > self.vec:
            raise PipeConfigError(f"{len(lanes)} Vector programs for {self.vec} Vector core(s)")
        programs = [(-1, cube), *enumerate(lanes)]
        self.journal.begin()
        watch = Watch(self)
        self.journal.watch = watch.read
        self.rings, self.choices, self.cores = {}, [], []
        seats: list[Seat] = []
        for lane, program in programs:
            if program:
                self.cores.append(Core(self, self.core_names[lane + 1], lane, seats))
                seats.append(self.cores[-1])
        chosen = [program for _, program in programs if program]
        live = list(self.cores)
        returned: dict[str, Any] = {}
        for core, program in zip(self.cores, chosen, strict=True):
            core.program = _lifetime(core, program, returned)
        try:
            steps = self._schedule(live, schedule, max_steps)
        except TypeError:
            for core in live:
                if core.awaited is not None and not _is_counter(core.awaited):
                    raise ProtocolOrderError(
                        f"{core.name}'s program yields {core.awaited!r}: it yields nothing itself, "
                        "it writes `yield from pipe.tpush(...)`"
                    ) from None
            raise
        finally:
            for core in self.cores:
                if core.program is not None:
                    core.program.close()
        watch.end()
        self._check_leaks()
        return self.result(steps, returned)

    def result(self, steps: int = 0, returned: dict[str, Any] | None = None) -> Result:
        """What has happened so far, also after an error."""
        standing = self.flags.standing()
        works = self.journal.works
        return Result(self.events, self.findings, standing, steps, returned or {}, works)

    def _schedule(self, live: list[Core], schedule: Schedule, max_steps: int) -> int:
        if isinstance(schedule, str):
            if schedule not in ("rr", "cube_first", "vec_first"):
                raise PipeConfigError(
                    f"no schedule {schedule!r}; there are rr, cube_first, vec_first, a seed"
                )
            if schedule == "vec_first":
                live.sort(key=lambda core: core.lane < 0)
            return self._in_order(live, schedule == "rr", max_steps)
        if callable(schedule):
            return self._chosen(live, schedule, max_steps)
        chance = schedule if isinstance(schedule, random.Random) else random.Random(schedule)
        return self._chosen(live, lambda names: int(chance.random() * len(names)), max_steps)

    def _in_order(self, live: list[Core], fair: bool, max_steps: int) -> int:
        steps = 0
        while live:
            progress = False
            for core in tuple(live):
                awaited = core.awaited
                if awaited is not None and not awaited[0][awaited[1]]:
                    continue
                progress = True
                steps += 1
                try:
                    core.awaited = core.program.send(None)
                except StopIteration:
                    live.remove(core)
                if not fair:
                    break
            if not progress:
                raise explain(self, self.cores, live)
            if steps > max_steps:
                raise _too_long(max_steps)
        return steps

    def _chosen(self, live: list[Core], choose: Chooser, max_steps: int) -> int:
        """Whenever a core stops, ``choose`` picks one of those that can go on, by its place."""
        attach = getattr(choose, "attach", None)
        if attach is not None:
            attach(self)
        steps = 0
        while live:
            ready = [
                core for core in live if core.awaited is None or core.awaited[0][core.awaited[1]]
            ]
            if not ready:
                raise explain(self, self.cores, live)
            core = ready[choose([one.name for one in ready])]
            self.choices.append(core.name)
            steps += 1
            try:
                core.awaited = core.program.send(None)
            except StopIteration:
                live.remove(core)
            if steps > max_steps:
                raise _too_long(max_steps)
        return steps

    def _check_leaks(self) -> None:
        for (core, flag), count in self.flags.standing().items():
            text = (
                f"{core}'s flag {flag} is left at {count}: it poisons the next pipe "
                "that uses it; a signal was not waited for"
            )
            finding = Finding("H11", "flag-leak", text, core, step=self.journal.step)
            self.journal.report("leak", finding, FlagLeakError, FlagLeakWarning)


def _is_counter(value: object) -> bool:
    """Whether a core program yielded what an operation waits for."""
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], list)


def _too_long(limit: int) -> StepLimitError:
    return StepLimitError(f"the program did not end within {limit} scheduling steps")


def _lifetime(core: Core, program: Program, returned: dict[str, Any]) -> Generator[Any, None, None]:
    """A core program from its call to the destructors of the pipes it leaves open."""
    body = program(core)
    if not inspect.isgenerator(body):
        raise PipeConfigError(
            f"{core.name}'s program is not a generator: write `yield from pipe.tpush(...)` in it"
        )
    returned[core.name] = yield from body
    core.check_awaited()
    for pipe in reversed(core.pipes):
        yield from pipe.close()
