"""A Debug Adapter Protocol server: VS Code and other editors debug a kernel, both ways.

Each core is a thread; all stop and run together. The messages are plain dictionaries, as the
protocol's JSON has them. :mod:`tilelab.debug.dap_places` has what is about parts of the tile.

Source: microsoft.github.io/debug-adapter-protocol, version 1.70. Not modelled: attaching, several
sessions at once, changing a program's own variables.
"""

import io
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import IO, Any, Final

from tilelab.debug.breakpoints import at_code, code_stops
from tilelab.debug.conditions import value
from tilelab.debug.dap_places import OF_PLACES, Places, shown
from tilelab.debug.dap_stream import Damaged, Message, messages
from tilelab.debug.debugger import Halt, Why
from tilelab.debug.session import Session
from tilelab.debug.terminal import Terminal
from tilelab.debug.unwind import Call
from tilelab.debug.variables import Variables
from tilelab.elf.frames import Frame
from tilelab.sim.errors import BadInputError, TilelabError
from tilelab.tensix.tables.cores import CORE_IDS
from tilelab.tensix.words.origin import CORE_NAMES

Launch = Callable[[Message], tuple[Session, list[Path]]]
"""Makes the session that a client's launch arguments ask for, and says where sources are."""

FEATURES: Final = (
    "supportsConfigurationDoneRequest",
    "supportsFunctionBreakpoints",
    "supportsConditionalBreakpoints",
    "supportsStepBack",
    "supportsSteppingGranularity",
    "supportsEvaluateForHovers",
    "supportsTerminateRequest",
    *OF_PLACES,
)
ENDING: Final = ("pause", "disconnect", "terminate")
"""Requests that end a run."""


class Adapter(Places):
    """Answers one client."""

    def __init__(self, source: IO[bytes], sink: IO[bytes], launch: Launch) -> None:
        self.sink = sink
        self.make = launch
        self.session: Session | None = None
        self.folders: list[Path] = []
        self.variables: Variables | None = None
        self.ended = False
        self._sequence = 0
        self._frames: list[tuple[int, Call]] = []
        self._points: dict[str, list[int]] = {}
        self._after: list[Callable[[], None]] = []
        self._inbox: Queue[Message | Damaged | None] = Queue()
        Thread(target=self._read, args=(source,), daemon=True).start()

    def _read(self, source: IO[bytes]) -> None:
        try:
            for message in messages(source):
                self._inbox.put(message)
        except (OSError, ValueError):
            pass
        self._inbox.put(None)

    def run(self) -> None:
        """Answer requests until the client disconnects or goes away."""
        while not self.ended:
            message = self._inbox.get()
            if message is None:
                return
            try:
                if isinstance(message, Damaged):
                    self._refuse(message)
                    continue
                self._answer(message)
                while self._after:
                    self._after.pop(0)()
            except OSError:
                return

    # ------------------------------------------------------------------ messages

    def _send(self, message: Message) -> None:
        self._sequence += 1
        data = json.dumps({"seq": self._sequence, **message}).encode()
        self.sink.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.sink.flush()

    def _event(self, name: str, **body: Any) -> None:
        self._send({"type": "event", "event": name, "body": body})

    def _refuse(self, damaged: Damaged) -> None:
        """Answer what is no message, so that neither side waits in silence for the other."""
        end = "; the session ends" if damaged.last else ""
        text = f"not understood: {damaged.problem}{end}"
        reply = {"type": "response", "request_seq": 0, "command": "", "success": False}
        self._send({**reply, "message": text})
        self._event("output", category="stderr", output=f"{text}\n")

    def _answer(self, message: Message) -> None:
        command = str(message.get("command"))
        arguments = message.get("arguments")
        reply: Message = {
            "type": "response",
            "request_seq": message.get("seq", 0),
            "command": command,
            "success": True,
        }
        method = getattr(self, f"on_{command}", None)
        try:
            if method is None:
                raise BadInputError(f"there is no request {command}")
            body = method(arguments if isinstance(arguments, dict) else {})
        except TilelabError as error:
            reply |= {"success": False, "message": error.summary}
            body = {"error": {"id": 1, "format": error.summary, "showUser": True}}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            reply |= {"success": False, "message": f"{command}: {error!r} is not understood"}
            body = None
        if body is not None:
            reply["body"] = body
        self._send(reply)

    # ------------------------------------------------------------------ beginning and end

    def on_initialize(self, given: Message) -> Message:
        """Say what this server can do."""
        return dict.fromkeys(FEATURES, True)

    def on_launch(self, given: Message) -> None:
        """Load the target; the program runs once the client has set its breakpoints."""
        self.session, self.folders = self.make(given)
        self.variables = Variables(self.session)
        self._stop_on_entry = bool(given.get("stopOnEntry", True))
        self._after.append(lambda: self._event("initialized"))

    def on_configurationDone(self, given: Message) -> None:  # noqa: N802 (the protocol's name)
        """Begin."""
        if self._stop_on_entry:
            self._after.append(lambda: self._stopped("entry"))
        else:
            self._after.append(self._continue)

    def on_disconnect(self, given: Message) -> None:
        """End."""
        self.ended = True

    on_terminate = on_disconnect

    # ------------------------------------------------------------------ breakpoints

    def _at_code(self, spec: str, condition: str) -> Message:
        """Set a breakpoint at a line or a function."""
        places = at_code(spec, self.at.indexes, self.at.core)
        point = self.at.add(spec, code_stops(places), condition)
        return {"id": point.number} | self._line_of(spec, places)

    def _line_of(self, spec: str, places: dict[int, list[int]]) -> Message:
        """The line that a breakpoint was moved to, for want of code on its own."""
        file, colon, line = spec.rpartition(":")
        if not colon or not line.isdigit():
            return {}
        lines = [
            index.line(file, int(line))[0] for c, index in self.at.indexes.items() if c in places
        ]
        return {"line": min(lines)}

    def on_setBreakpoints(self, given: Message) -> Message:  # noqa: N802
        """Set the breakpoints of one source file."""
        source = given["source"]
        name = Path(source.get("path") or source.get("name", "")).name
        asked = given.get("breakpoints") or []
        wanted = [(f"{name}:{int(p['line'])}", str(p.get("condition") or "")) for p in asked]
        return self.replace(name, wanted, self._at_code)

    def on_setFunctionBreakpoints(self, given: Message) -> Message:  # noqa: N802
        """Set breakpoints at functions."""
        asked = given.get("breakpoints") or []
        wanted = [(str(p["name"]), str(p.get("condition") or "")) for p in asked]
        return self.replace("", wanted, self._at_code)

    def on_setExceptionBreakpoints(self, given: Message) -> Message:  # noqa: N802
        """Accept: a failed check always stops."""
        return {"breakpoints": []}

    # ------------------------------------------------------------------ looking

    def on_threads(self, given: Message) -> Message:
        """The cores."""
        return {"threads": [{"id": c + 1, "name": n} for n, c in CORE_IDS.items()]}

    def on_stackTrace(self, given: Message) -> Message:  # noqa: N802
        """The calls that a core is in, inlined ones too."""
        self._choose(given)
        core = self.at.core
        program = self.at.debugger.tile.programs.get(core)
        frames: list[Message] = []
        for line in self.at.backtrace():
            name = program.function(line.call.lookup) if program else ""
            found = line.frame or Frame("", "", 0)
            frames.append(
                self._frame(core, line.call, found.function or name or "?", found.file, found.line)
            )
        first = int(given.get("startFrame") or 0)
        count = int(given.get("levels") or 0) or len(frames)
        return {"stackFrames": frames[first : first + count], "totalFrames": len(frames)}

    def _frame(self, core: int, call: Call, name: str, file: str, line: int) -> Message:
        self._frames.append((core, call))
        made: Message = {
            "id": len(self._frames),
            "name": name,
            "line": line,
            "column": 0,
            "instructionPointerReference": f"{call.pc:#x}",
        }
        if file:
            made["source"] = self.source(file)
        return made

    def on_scopes(self, given: Message) -> Message:
        """A call's variables, its core's registers, and the tile."""
        number = int(given["frameId"])
        if not 0 < number <= len(self._frames) or self.variables is None:
            raise BadInputError(f"there is no frame {number}")
        core, call = self._frames[number - 1]
        scopes = (
            ("Locals", self.variables.locals(core, call)),
            (f"{CORE_NAMES[core]} registers", self.variables.registers(core)),
            ("Tile", self.variables.tile()),
        )
        return {
            "scopes": [
                {"name": name, "variablesReference": reference, "expensive": name == "Tile"}
                for name, reference in scopes
            ]
        }

    def on_variables(self, given: Message) -> Message:
        """What is within a variable."""
        found = self.variables.within(int(given["variablesReference"])) if self.variables else []
        first = int(given.get("start") or 0)
        count = int(given.get("count") or 0) or len(found)
        return {"variables": [shown(item) for item in found[first : first + count]]}

    def on_evaluate(self, given: Message) -> Message:
        """Evaluate a value; in the console, carry out a command of the terminal's."""
        text = str(given["expression"])
        if given.get("context") == "repl":
            output = io.StringIO()
            before = self.at.debugger.moment
            try:
                Terminal(self.at, stdout=output, folders=self.folders, strict=True).onecmd(text)
            finally:
                if self.at.debugger.moment != before:  # what the editor shows is of another moment
                    self._after.append(lambda: self._stopped("goto"))
            return {"result": output.getvalue().rstrip(), "variablesReference": 0}
        found = self.at.variable(text)
        if found is not None:
            return {"result": found.text, "variablesReference": 0}
        number = value(text, self.at.debugger, self.at.core)
        return {"result": f"{number} ({number:#x})", "variablesReference": 0}

    # ------------------------------------------------------------------ running

    def _choose(self, given: Message) -> None:
        number = int(given.get("threadId") or self.at.core + 1)
        if number - 1 not in CORE_NAMES:
            raise BadInputError(f"there is no thread {number}")
        self.at.choose(CORE_NAMES[number - 1])

    def _stopped(self, reason: str, **more: Any) -> None:
        self._frames.clear()
        if self.variables is not None:
            self.variables.forget()
        self._event(
            "stopped", reason=reason, threadId=self.at.core + 1, allThreadsStopped=True, **more
        )

    def _told(self, halt: Halt, hit: list[int], reason: str) -> None:
        """Say why the tile stopped; a breakpoint is on the core that is there."""
        if halt.end:
            self._event("output", category="important", output=f"{halt.end}\n")
            failed = halt.why in (Why.DEADLOCK, Why.FAILED)
            kind = "exception" if failed else "pause"
            self._stopped(kind, description=str(halt.why), text=halt.end)
            return
        if hit:
            self.at.turn(hit)
            self._stopped("breakpoint", hitBreakpointIds=hit)
            return
        self._stopped(reason)

    def _pause_wanted(self) -> bool:
        """Whether the client has asked for a pause meanwhile, or has gone; other requests wait."""
        held: list[Message | Damaged | None] = []
        with suppress(Empty):
            while True:
                held.append(self._inbox.get_nowait())
        for message in held:
            self._inbox.put(message)
        asked = (one.get("command") for one in held if isinstance(one, dict))
        return None in held or any(command in ENDING for command in asked)

    def _continue(self) -> None:
        halt, hit = self.at.go_until(self._pause_wanted)
        if halt.why is not Why.LIMIT:
            self._told(halt, hit, "breakpoint")

    def _later(self, given: Message, run: Callable[[], Halt]) -> None:
        """Run once the request has been answered."""
        self._choose(given)
        self._after.append(lambda: self._told(run(), [], "step"))

    def on_pause(self, given: Message) -> None:
        """Stop here."""
        self._after.append(lambda: self._stopped("pause"))

    def on_continue(self, given: Message) -> Message:
        """Run to a breakpoint."""
        self._choose(given)
        self._after.append(self._continue)
        return {"allThreadsContinued": True}

    def on_reverseContinue(self, given: Message) -> None:  # noqa: N802
        """Run back to a breakpoint."""
        self._choose(given)
        self._after.append(lambda: self._told(*self.at.go(back=True), "breakpoint"))

    def on_next(self, given: Message) -> None:
        """Step by the author's lines, or by an instruction."""
        self._step(given, over=True, back=False)

    def on_stepIn(self, given: Message) -> None:  # noqa: N802
        """Step by lines, into calls."""
        self._step(given, over=False, back=False)

    def on_stepBack(self, given: Message) -> None:  # noqa: N802
        """Step back by the author's lines, or by an instruction."""
        self._step(given, over=True, back=True)

    def _step(self, given: Message, *, over: bool, back: bool) -> None:
        if given.get("granularity") == "instruction":
            self._later(given, lambda: self.at.step("instruction", -1 if back else 1))
        else:
            self._later(given, lambda: self.at.step_line(over=over, back=back))

    def on_stepOut(self, given: Message) -> None:  # noqa: N802
        """Run until the function returns."""
        self._later(given, self.at.finish)
