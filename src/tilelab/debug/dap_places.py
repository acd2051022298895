"""Requests of the Debug Adapter Protocol about parts of the tile: memory, code, what changes.

A part is named as the terminal names it: ``dst[3]``, ``semaphore[1].value``, ``riscv[0].x[10]``.
"""

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tilelab.debug.conditions import value
from tilelab.debug.dap_stream import Message
from tilelab.debug.memory import read_bytes, write_bytes
from tilelab.debug.session import Session
from tilelab.debug.stops import changed
from tilelab.debug.variables import Variable, Variables
from tilelab.sim.errors import BadInputError
from tilelab.tensix.riscv.core import instruction_at

OF_PLACES: Final = (
    "supportsDataBreakpoints",
    "supportsDisassembleRequest",
    "supportsReadMemoryRequest",
    "supportsSetVariable",
    "supportsWriteMemoryRequest",
)
MOST: Final = 1 << 20
"""Bytes, or instructions, of one answer."""
DATA: Final = "<data>"
"""Whose breakpoints those of parts are, where others are of a source file."""


class Places:
    """What an adapter answers about parts of the tile."""

    session: Session | None
    variables: Variables | None
    folders: list[Path]
    _points: dict[str, list[int]]

    @property
    def at(self) -> Session:
        """The session; BadInputError before there is one."""
        if self.session is None:
            raise BadInputError("nothing has been launched")
        return self.session

    def replace(
        self, key: str, wanted: list[tuple[str, str]], make: Callable[[str, str], Message]
    ) -> Message:
        """Set breakpoints in place of those of the same source: what is asked for, conditions."""
        for number in self._points.pop(key, []):
            self.at.remove(number)
        found: list[Message] = []
        for spec, condition in wanted:
            try:
                made = make(spec, condition)
            except BadInputError as error:
                found.append({"verified": False, "message": error.summary})
                continue
            self._points.setdefault(key, []).append(made["id"])
            found.append({"verified": True} | made)
        return {"breakpoints": found}

    def source(self, file: str) -> Message:
        """A file as the protocol names it; the editor shows the first that is there."""
        paths = [folder / file for folder in self.folders if (folder / file).is_file()]
        away = {"presentationHint": "deemphasize"}
        return {"name": file} | ({"path": str(paths[0].absolute())} if paths else away)

    # ------------------------------------------------------------------ memory and code

    def on_readMemory(self, given: Message) -> Message:  # noqa: N802 (the protocol's name)
        """Bytes of L1, or of the chosen core's own RAM."""
        start, count = _address(given), _most(int(given["count"]))
        data = read_bytes(self.at.debugger, self.at.core, start, count) if start >= 0 else b""
        found: Message = {"address": f"{start:#x}", "data": b64encode(data).decode()}
        return found | ({"unreadableBytes": count - len(data)} if len(data) < count else {})

    def on_writeMemory(self, given: Message) -> Message:  # noqa: N802
        """Change them; what came after this moment is forgotten."""
        start = _address(given)
        try:
            data = b64decode(str(given["data"]), validate=True)
        except NotBase64:
            raise BadInputError("writeMemory: the data are not base64") from None
        if start < 0:
            raise BadInputError(f"there is no memory at {start:#x}")
        write_bytes(self.at.debugger, self.at.core, start, data)
        return {"bytesWritten": len(data)}

    def on_disassemble(self, given: Message) -> Message:
        """So many instructions around an address, with their lines."""
        first = _address(given) + 4 * int(given.get("instructionOffset") or 0)
        count = _most(int(given["instructionCount"]))
        return {"instructions": [self._instruction(first + 4 * i) for i in range(count)]}

    def _instruction(self, pc: int) -> Message:
        made = self.at.debugger
        there = 0 <= pc <= len(made.state.l1) - 4
        text = instruction_at(made.state.s, pc) if there else None
        found: Message = {"address": f"{max(pc, 0):#x}", "instruction": text or "?"}
        if text is None:
            return found | {"presentationHint": "invalid"}
        found["instructionBytes"] = read_bytes(made, self.at.core, pc, 4).hex(" ")
        cores = (self.at.core, *made.tile.programs)  # the address says of whose code it is
        places = (made.tile.sources.frames(core, pc) for core in cores)
        if place := next((frames[0] for frames in places if frames and frames[0].file), None):
            found |= {"location": self.source(place.file), "line": place.line}
        return found

    # ------------------------------------------------------------------ parts of the state

    def _place(self, given: Message) -> str:
        """The part that a variable is, by what holds it and its name; "" if it is none."""
        reference = int(given.get("variablesReference") or 0)
        if not reference:
            return str(given["name"])
        within = self.variables.within(reference) if self.variables else []
        return next((item.place for item in within if item.name == given["name"]), "")

    def on_setVariable(self, given: Message) -> Message:  # noqa: N802
        """Change a part of the state, or a register."""
        if not (name := self._place(given)):
            raise BadInputError(f"{given['name']} is no part of the state that can be set")
        self.at.assign(
            self.at.debugger.place(name), value(str(given["value"]), self.at.debugger, self.at.core)
        )
        number = value(name, self.at.debugger, self.at.core)
        return {"value": f"{number} ({number:#x})"}

    def on_dataBreakpointInfo(self, given: Message) -> Message:  # noqa: N802
        """Whether a part can be watched, and by what name."""
        try:
            place = self.at.debugger.place(self._place(given) or "?")
        except BadInputError as error:
            return {"dataId": None, "description": error.summary}
        return {"dataId": place.name, "description": place.name, "accessTypes": ["write"]}

    def on_setDataBreakpoints(self, given: Message) -> Message:  # noqa: N802
        """Stop where these change, either way."""
        asked = given.get("breakpoints") or []
        wanted = [(str(p["dataId"]), str(p.get("condition") or "")) for p in asked]
        return self.replace(DATA, wanted, self._watch)

    def _watch(self, name: str, condition: str) -> Message:
        stop = changed(self.at.debugger.place(name))
        return {"id": self.at.add(f"watch {name}", [stop], condition).number}


def shown(item: Variable) -> Message:
    """A variable as the protocol has it."""
    made: Message = {"name": item.name, "value": item.value, "variablesReference": item.reference}
    return made | ({"evaluateName": item.place} if item.place else {})


def _address(given: Message) -> int:
    return int(str(given["memoryReference"]), 0) + int(given.get("offset") or 0)


def _most(count: int) -> int:
    if not 0 <= count <= MOST:
        raise BadInputError(f"{count}: from 0 to {MOST:,} at once")
    return count
