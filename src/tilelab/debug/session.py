"""A debugging session: breakpoints, the chosen core, steps by source line, both ways.

The terminal, the GDB stub and the DAP server all drive one of these.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from tilelab.debug.breakpoints import Breakpoint
from tilelab.debug.conditions import holds
from tilelab.debug.debugger import FOREVER, Debugger, Halt, Why
from tilelab.debug.locals import Local, global_of, locals_of
from tilelab.debug.places import Place
from tilelab.debug.stops import Stop, arrive, changed, leave
from tilelab.debug.unwind import Call, unwind
from tilelab.elf.frames import Frame
from tilelab.elf.line_index import LineIndex
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tables.cores import CORE_IDS
from tilelab.tensix.words.origin import CORE_NAMES

RA, SP = 1, 2
SLICE: Final = 2_000_000
"""Cycles between two looks at whether somebody wants a run to end."""
WINDOW: Final = 64
"""Instructions looked through first for the line before; then eight times as many."""
LARGEST: Final = 8
"""Bytes of a part of the state that takes one number."""
MOST_LINES: Final = 100_000
"""Stretches of one line's code that a step may go through."""
UNITS: Final = {
    "instruction": "riscv[{core}].retired",
    "pushed": "frontend[{thread}].pushed",
    "issued": "frontend[{thread}].issued",
}
"""What can be stepped by, and the count that it moves."""


class Line(NamedTuple):
    """A line of a backtrace: the call, where in the source, whether that was inlined into it."""

    call: Call
    frame: Frame | None
    """None if the source is not known."""
    inlined: bool


class Session:
    """Breakpoints and steps over a debugger."""

    def __init__(self, made: Debugger) -> None:
        self.debugger = made
        self.breakpoints: dict[int, Breakpoint] = {}
        self.indexes = {core: LineIndex(p) for core, p in made.tile.programs.items()}
        running = [c for c in CORE_IDS.values() if made.state.s.riscv[c].running]
        # a kernel's middle core is the one most questions are about
        self.core = 1 if 1 in running or not running else running[0]
        self.thread = self.core if self.core < made.tile.arch.threads else 0
        self._next = 1
        self._frame = (-1, 0, 0)

    # ------------------------------------------------------------------ what to stop at

    def add(
        self, text: str, stops: list[Stop], condition: str = "", where: list[str] | None = None
    ) -> Breakpoint:
        """Add a breakpoint; BadInputError if its condition is none."""
        if condition:
            holds(condition, self.debugger, self.core)
        made = Breakpoint(self._next, text, stops, condition, core=self.core, where=where or [])
        self.breakpoints[self._next] = made
        self._next += 1
        return made

    def remove(self, number: int) -> None:
        """Remove a breakpoint; BadInputError if there is none of that number."""
        if self.breakpoints.pop(number, None) is None:
            raise BadInputError(f"there is no breakpoint {number}")

    def choose(self, core: str) -> None:
        """Choose the core, and with a TRISC its thread, that commands are about."""
        if core.lower() not in CORE_IDS:
            raise BadInputError(f"no core is called {core!r}: choose from {', '.join(CORE_IDS)}")
        self.core = CORE_IDS[core.lower()]
        if self.core < self.debugger.tile.arch.threads:
            self.thread = self.core

    @property
    def core_name(self) -> str:
        """The chosen core's name."""
        return CORE_NAMES[self.core]

    def register(self, number: int, core: int | None = None) -> int:
        """A register of the chosen core, or of another."""
        return int(self.debugger.state.s.riscv[self.core if core is None else core].x[number])

    def pc(self, core: int | None = None) -> int:
        """The chosen core's program counter, or another's."""
        return int(self.debugger.state.s.riscv[self.core if core is None else core].pc)

    def assign(self, place: Place, number: int) -> None:
        """Change a part of the state; BadInputError for a number that does not fit there."""
        if place.size > LARGEST or not 0 <= number < 1 << 8 * place.size:
            raise BadInputError(f"{number} does not fit {place.name}")
        data = number.to_bytes(place.size, "little")
        self.debugger.written(lambda: place.write(self.debugger.state, data))

    # ------------------------------------------------------------------ running

    def go(
        self, *, back: bool = False, extra: list[Stop] | None = None, limit: int = FOREVER
    ) -> tuple[Halt, list[int]]:
        """Run to a breakpoint, either way: why it ended, and the breakpoints that were hit.

        ``extra`` are stops besides; none of the breakpoints is named if only these were hit.
        Forwards it goes no further than the clock ``limit``.
        """
        stops, owners = list(extra or ()), [0] * len(extra or ())
        for point in self.breakpoints.values():
            if point.enabled:
                stops += point.stops
                owners += [point.number] * len(point.stops)
        hit: list[int] = []

        def counts(hits: tuple[int, ...]) -> bool:
            named = dict.fromkeys(owners[i] for i in hits)
            hit[:] = [n for n in named if not n or self._applies(self.breakpoints[n])]
            return bool(hit)

        conditional = any(p.condition for p in self.breakpoints.values() if p.enabled)
        asked = counts if conditional else None
        if back:
            halt = self.debugger.backward(stops, asked)
        else:
            halt = self.debugger.forward(stops, limit, asked)
        if halt.why is Why.STOP:
            counts(halt.hits)
        else:
            hit.clear()
        numbers = [n for n in hit if n]
        for number in numbers:
            self.breakpoints[number].hits += 1
        return halt, numbers

    def go_until(self, asked: Callable[[], bool]) -> tuple[Halt, list[int]]:
        """Run forwards to a breakpoint, or to a limit if ``asked`` wants it to end meanwhile."""
        while True:
            halt, hit = self.go(limit=self.debugger.clock + SLICE)
            if halt.why is not Why.LIMIT or asked():
                return halt, hit

    def turn(self, numbers: list[int]) -> None:
        """Choose a core that some breakpoints stop, unless the chosen one is one of those."""
        here = self.cores_at(numbers)
        if here and self.core not in here:
            self.choose(CORE_NAMES[here[0]])

    def cores_at(self, numbers: list[int]) -> list[int]:
        """The cores that are where some breakpoints stop them, each once; none at other stops."""
        stops = [stop for number in numbers for stop in self.breakpoints[number].stops]
        here = [s.core for s in stops if s.place is None and s.low <= self.pc(s.core) < s.high]
        return list(dict.fromkeys(here))

    def _applies(self, point: Breakpoint) -> bool:
        return not point.condition or holds(point.condition, self.debugger, point.core)

    def step(self, unit: str, times: int = 1) -> Halt:
        """Step by ``instruction``, ``pushed`` or ``issued`` word or ``cycle``, or back."""
        if unit == "cycle":
            return self.debugger.go_to(self.debugger.clock + times)
        name = UNITS[unit].format(core=self.core, thread=self.thread)
        return self.debugger.step(changed(self.debugger.place(name)), times)

    # ------------------------------------------------------------------ lines

    def step_line(self, *, over: bool, back: bool = False) -> Halt:
        """Step to another source line; ``over``: of the author's, past what it calls."""
        if self.core not in self.indexes:
            raise BadInputError(f"{self.core_name} has no program whose lines are known")
        return self._line_back(over) if back else self._line_forward(over)

    def _line_forward(self, over: bool) -> Halt:
        made, index = self.debugger, self.indexes[self.core]
        start = index.stretch(self.pc(), author=over)
        key = index.key(self.pc(), over)
        for _ in range(MOST_LINES):
            halt = made.forward((leave(self.core, *index.stretch(self.pc(), author=over)),))
            if halt.why is not Why.STOP:
                return halt
            if over and self._called_from(start):
                halt = made.forward((arrive(self.core, self.register(RA)),))
                if halt.why is not Why.STOP:
                    return halt
            if index.key(self.pc(), over) not in (key, None):
                return halt
        return halt

    def _called_from(self, stretch: tuple[int, int]) -> bool:
        """Whether the core has just entered a function that an instruction of a stretch called."""
        low, high = stretch
        starts = {address for address, _ in self.indexes[self.core].program.symbols}
        return self.pc() in starts and low < self.register(RA) <= high

    def _line_back(self, over: bool) -> Halt:
        """Go back to where the line before this one was entered, looking through ever more."""
        least = self.register(SP) if over else 0
        clock, window = self.debugger.clock, WINDOW
        index = self.indexes[self.core]
        while True:
            path = self.path(window)
            known = [
                (at, key)
                for at, pc, sp in path
                if sp >= least and (key := index.key(pc, over)) is not None
            ]
            entered = [
                known[i][0]
                for i in range(1, len(known))
                if known[i][1] != known[i - 1][1] and known[i][0] < clock
            ]
            if entered:
                self.debugger.go_to(entered[-1])
                return Halt(Why.STOP, self.debugger.clock)
            if len(path) < window:
                return self.debugger.go_to(self.debugger.begin - 1)
            self.debugger.go_to(clock)
            window *= 8

    def path(self, count: int) -> list[tuple[int, int, int]]:
        """The last moves of the chosen core, oldest first: clock, and where pc and sp were then.

        The present comes last. The tile is back at the present afterwards.
        """
        made, clock = self.debugger, self.debugger.clock
        moves = changed(made.place(UNITS["instruction"].format(core=self.core)))
        found = []
        made.backward((moves,), times=count)
        while made.clock < clock:
            found.append((made.clock, self.pc(), self.register(SP)))
            if made.forward((moves,), clock).why is not Why.STOP:
                break
        made.go_to(clock)
        return [*found, (clock, self.pc(), self.register(SP))]

    def finish(self) -> Halt:
        """Run until the chosen core's function returns; BadInputError in the outermost."""
        frames = self.stack()
        if len(frames) < 2:
            raise BadInputError(f"{self.core_name} is in its outermost function")
        return self.debugger.forward((arrive(self.core, frames[1].pc),))

    def backtrace(self) -> list[Line]:
        """The chosen core's calls as a person counts them: inlined ones too, innermost first."""
        program = self.debugger.tile.programs.get(self.core)
        found = []
        for call in self.stack():
            frames = program.frames(call.lookup) if program else ()
            last = len(frames) - 1
            found += [Line(call, frame, i < last) for i, frame in enumerate(reversed(frames))]
            if not frames:
                found.append(Line(call, None, False))
        return found

    def choose_frame(self, number: int) -> None:
        """Choose a call by its number in the backtrace; it stays chosen until the tile runs."""
        count = len(self.backtrace())
        if number >= count:
            raise BadInputError(f"there is no call {number}: {self.core_name} is in {count}")
        self._frame = (self.debugger.clock, self.core, number)

    @property
    def frame(self) -> int:
        """The chosen call's number; 0, the innermost, unless another was chosen here."""
        clock, core, number = self._frame
        return number if (clock, core) == (self.debugger.clock, self.core) else 0

    def locals(self) -> list[Local]:
        """The chosen call's variables, those of inner scopes first."""
        return locals_of(self.debugger, self.core, self.backtrace()[self.frame].call)

    def variable(self, name: str) -> Local | None:
        """A variable that is seen from the chosen call; None if there is none of that name."""
        if not name.isidentifier():
            return None
        found = next((local for local in self.locals() if local.name == name), None)
        return found or global_of(self.debugger, self.core, name)

    def stack(self) -> list[Call]:
        """The calls that the chosen core is in, the innermost first."""
        return unwind(self.debugger, self.core)
