"""The debugger's commands, as a gdb user writes them, over Python's own ``cmd``."""

import cmd
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

from tilelab.debug import show
from tilelab.debug.breakpoints import at_code, catch_stops, code_stops
from tilelab.debug.conditions import register_place
from tilelab.debug.conditions import value as value_of
from tilelab.debug.debugger import Halt, Why
from tilelab.debug.help import ALIASES, HELP
from tilelab.debug.session import Session
from tilelab.debug.stops import changed
from tilelab.debug.writers import last_write
from tilelab.sim.errors import BadInputError
from tilelab.sim.record import Record
from tilelab.tensix.words.origin import CORE_NAMES

STEPS = {"stepi": "instruction", "stepc": "cycle", "stepw": "issued", "stepp": "pushed"}
LINES = ("step", "next")
MOVES = ("continue", *STEPS, *LINES)
BACK = "reverse-"
"""Before the name of a move: it goes back."""


class Terminal(cmd.Cmd):
    """Reads commands and prints what comes of them.

    ``folders``: where source files are looked for. A command that cannot be carried out prints
    one line; with ``strict`` it raises BadInputError instead, which ends a script.
    """

    prompt = "(tilelab) "

    def __init__(
        self,
        session: Session,
        stdin: IO[str] | None = None,
        stdout: IO[str] | None = None,
        *,
        folders: Iterable[Path] = (),
        strict: bool = False,
    ) -> None:
        super().__init__(stdin=stdin, stdout=stdout)
        self.session = session
        self.made = session.debugger
        self.folders = [*folders, Path()]
        self.strict = strict
        self.marks: dict[str, Record] = {"": self.made.snapshot()}

    # ------------------------------------------------------------------ reading commands

    def say(self, lines: Iterable[str]) -> None:
        """Print some lines."""
        for line in lines:
            self.stdout.write(f"{line}\n")
        self.stdout.flush()

    def onecmd(self, line: str) -> bool:
        """Carry out one command; True if it was the last."""
        line = line.partition("#")[0].strip()
        word, _, rest = line.partition(" ")
        if not word:
            return self.emptyline()
        name, _, form = ALIASES.get(word, word).partition("/")
        back, name = name.startswith(BACK), name.removeprefix(BACK)
        method = getattr(self, f"do_{name.replace('-', '_')}", None)
        try:
            if name in MOVES:
                self._move(name, rest.strip(), back)
                return False
            if method is None or back:
                raise BadInputError(f"there is no command {word!r}: try help")
            return bool(method(rest.strip() or form))
        except BadInputError as error:
            if self.strict:
                raise
            self.say([error.summary])
            return False

    def emptyline(self) -> bool:
        """Do nothing: repeating a step unasked surprises in scripts."""
        return False

    def do_help(self, rest: str) -> None:
        """List the commands."""
        self.say([HELP])

    def do_quit(self, rest: str) -> bool:
        """End the session."""
        return True

    # ------------------------------------------------------------------ running

    def _halted(self, halt: Halt, hit: Iterable[int] = ()) -> None:
        self.say(show.halted(self.session, halt, list(hit)))

    def _move(self, name: str, rest: str, back: bool) -> None:
        """Run the tile, on or back: to a breakpoint, by source lines, or by what is counted."""
        if name == "continue":
            self._halted(*self.session.go(back=back))
        elif name in LINES:
            self._lines(_count(rest), over=name == "next", back=back)
        else:
            self._halted(self.session.step(STEPS[name], -_count(rest) if back else _count(rest)))
            if STEPS[name] in ("issued", "pushed"):
                self.say([show.thread_line(self.session, self.session.thread)])

    def _lines(self, count: int, *, over: bool, back: bool) -> None:
        halt = None
        for _ in range(count):
            halt = self.session.step_line(over=over, back=back)
            if halt.why is not Why.STOP:  # there is no further line, or something to look at
                break
        if halt:
            self._halted(halt)

    def do_finish(self, rest: str) -> None:
        """Run until the function returns."""
        self._halted(self.session.finish())

    def do_goto(self, rest: str) -> None:
        """Go to a cycle."""
        self._halted(self.made.go_to(self._value(rest)))

    # ------------------------------------------------------------------ stopping

    def do_break(self, rest: str) -> None:
        """Stop at a function, a line or an address."""
        spec, condition = _condition(rest)
        places = at_code(spec, self.session.indexes, self.session.core)
        where = [
            self.made.tile.sources.describe_pc(core, at)
            for core, ats in places.items()
            for at in ats
        ]
        self._added(spec, code_stops(places), condition, where)

    def do_watch(self, rest: str) -> None:
        """Stop where something changes."""
        spec, condition = _condition(rest)
        self._added(f"watch {spec}", [changed(self._place(spec))], condition)

    def do_catch(self, rest: str) -> None:
        """Stop at an opcode, a MOP, a replay slot or a semaphore."""
        spec, condition = _condition(rest)
        self._added(f"catch {spec}", catch_stops(spec.split(), self.made), condition)

    def _added(
        self, text: str, stops: list[Any], condition: str, where: Iterable[str] = ()
    ) -> None:
        point = self.session.add(text, stops, condition, list(where))
        self.say([f"breakpoint {point.number}: {text}", *(f"    {line}" for line in point.where)])

    def do_delete(self, rest: str) -> None:
        """Delete breakpoints, by number, or all."""
        for word in rest.split() or list(map(str, self.session.breakpoints)):
            self.session.remove(_count(word))

    def do_enable(self, rest: str) -> None:
        """Enable a breakpoint."""
        self._point(rest).enabled = True

    def do_disable(self, rest: str) -> None:
        """Disable a breakpoint."""
        self._point(rest).enabled = False

    def _point(self, rest: str) -> Any:
        number = _count(rest)
        if number not in self.session.breakpoints:
            raise BadInputError(f"there is no breakpoint {number}")
        return self.session.breakpoints[number]

    # ------------------------------------------------------------------ looking

    def _place(self, text: str) -> Any:
        if text.startswith("$"):
            return self.made.place(register_place(text[1:], self.session.core))
        return self.made.place(text)

    def _value(self, text: str) -> int:
        return value_of(text, self.made, self.session.core)

    def do_print(self, rest: str) -> None:
        """Print a value or a part of the state."""
        if rest.startswith("$") or "&" in rest or rest == "clock" or rest[:1].isdigit():
            number = self._value(rest)
            self.say([f"{rest} = {number} ({number:#x})"])
        else:
            found = self.session.variable(rest)
            if found is None:
                self.say(show.value(self._place(rest), self.session))
            else:
                self.say([f"{rest} = {found.text}"])

    def do_examine(self, rest: str) -> None:
        """Show words of L1."""
        address, _, count = rest.partition(" ")
        size = 4 * _count(count)
        self.say(show.value(self.made.place(f"l1[{self._value(address)}:{size}]"), self.session))

    def do_list(self, rest: str) -> None:
        """Show the source."""
        self.say(show.listing(self.session, self.folders))

    def do_disassemble(self, rest: str) -> None:
        """Show instructions."""
        address, _, count = rest.partition(" ")
        start = self._value(address) if address else self.session.pc()
        self.say(show.code(self.session, start, _count(count or "8")))

    def do_backtrace(self, rest: str) -> None:
        """Show the calls that the chosen core is in."""
        self.say(show.stack(self.session))

    def do_frame(self, rest: str) -> None:
        """Choose a call of the chosen core's by its number in the backtrace."""
        self.session.choose_frame(_number(rest))
        self.say([show.frame_line(self.session, self.session.frame)])

    def do_info(self, rest: str) -> None:
        """Show breakpoints, cores, threads, locals, registers or the history."""
        made, session = self.made, self.session
        count = len(made.history.snapshots)
        history = f"cycle {made.clock}, recorded from {made.begin} on, {count} snapshots"
        threads = range(made.tile.arch.threads)
        about: dict[str, Callable[[], Iterable[str]]] = {
            "b": lambda: map(show.breakpoint_line, session.breakpoints.values()),
            "c": lambda: show.cores(session),
            "t": lambda: [show.thread_line(session, t) for t in threads],
            "l": lambda: show.variables(session),
            "r": lambda: show.registers(session),
            "h": lambda: [history],
        }
        if rest[:1] not in about:
            raise BadInputError("info breakpoints, cores, threads, locals, registers or history")
        self.say(about[rest[:1]]())

    def do_last_write(self, rest: str) -> None:
        """Say who changed a part of the state last."""
        place = self._place(rest)
        self.say(show.written(place, last_write(self.made, place)))

    def do_mark(self, rest: str) -> None:
        """Remember this moment for diff."""
        self.marks[rest] = self.made.snapshot()

    def do_diff(self, rest: str) -> None:
        """Say what differs from a marked moment, or from the beginning of the session."""
        if rest not in self.marks:
            raise BadInputError(f"no moment is marked {rest!r}")
        changes = self.made.changes(self.marks[rest])
        self.say(f"{name}: {old:#x} -> {new:#x}" for name, old, new in changes)

    # ------------------------------------------------------------------ choosing and changing

    def do_core(self, rest: str) -> None:
        """Choose a core."""
        if rest:
            self.session.choose(rest)
        self.say(show.here(self.session))

    def do_thread(self, rest: str) -> None:
        """Choose a thread, and its core."""
        if rest:
            self.session.choose(CORE_NAMES.get(_count(rest), rest) if rest != "0" else "trisc0")
        self.say([show.thread_line(self.session, self.session.thread)])

    def do_set(self, rest: str) -> None:
        """Change a part of the state."""
        name, equals, text = rest.partition("=")
        if not equals:
            raise BadInputError("set PLACE = NUMBER")
        self.session.assign(self._place(name.strip()), self._value(text))

    # ------------------------------------------------------------------ completion

    def completenames(self, text: str, *ignored: Any) -> list[str]:
        """The commands that begin so."""
        names = [name[3:].replace("_", "-") for name in self.get_names() if name.startswith("do_")]
        names += [*MOVES, *(BACK + name for name in MOVES)]
        return sorted(name for name in names if name.startswith(text))


def _count(text: str) -> int:
    """How many; 1 if nothing is said."""
    try:
        count = int(text, 0) if text else 1
    except ValueError:
        count = -1
    if count < 0:
        raise BadInputError(f"{text!r} is no count")
    return count


def _number(text: str) -> int:
    """The number of something; BadInputError if it is none."""
    if not text.isdecimal():
        raise BadInputError(f"{text!r} is no number")
    return int(text)


def _condition(rest: str) -> tuple[str, str]:
    """What is to be stopped at, and under which condition."""
    if not rest:
        raise BadInputError("at what? try help")
    if rest.startswith("if "):
        raise BadInputError("a condition of what? try help")
    spec, _, condition = rest.partition(" if ")
    return spec.strip(), condition.strip()
