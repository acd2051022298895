"""A GDB remote stub over a session: one thread for each core, forwards and backwards.

Stops are for all threads: while one core steps, the tile runs along. gdb's ``monitor`` takes the
terminal's commands.

Source: "GDB Remote Serial Protocol", Debugging with GDB, appendix E; "RISC-V Features" in its
appendix G. Not modelled: non-stop mode, watchpoints on reads, file and flash packets.
"""

import io
import socket
from binascii import hexlify, unhexlify
from collections.abc import Callable
from typing import Final

import numpy as np

from tilelab.debug.breakpoints import Breakpoint
from tilelab.debug.debugger import Halt, Why
from tilelab.debug.gdb_link import PACKET_BYTES, Connection, Gone, first_to_speak
from tilelab.debug.memory import read_bytes, write_bytes
from tilelab.debug.session import Session
from tilelab.debug.stops import Stop, arrive, changed
from tilelab.debug.terminal import Terminal
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tables.cores import CORE_IDS
from tilelab.tensix.words.origin import CORE_NAMES

TRAP: Final = "05"
PC: Final = 32
REGISTER_BYTES: Final = 4
STALE: Final = "gdb keeps the registers it has read; first: maintenance flush register-cache\n"
"""What a command that moves cores adds, for gdb knows nothing of it and steps from where it was."""
FEATURES: Final = (
    f"PacketSize={PACKET_BYTES:x};qXfer:features:read+;ReverseStep+;ReverseContinue+;"
    "swbreak+;hwbreak+;vContSupported+;QStartNoAckMode+"
)
TARGET: Final = (
    '<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target version="1.0">'
    '<architecture>riscv:rv32</architecture><feature name="org.gnu.gdb.riscv.cpu">'
    + "".join(
        f'<reg name="x{i}" bitsize="32" type="{"data_ptr" if i == 2 else "int"}" regnum="{i}"/>'
        for i in range(32)
    )
    + '<reg name="pc" bitsize="32" type="code_ptr" regnum="32"/></feature></target>'
)


class Stub:
    """Answers one gdb's packets about a session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.made = session.debugger
        self.points: dict[tuple[str, int], Breakpoint] = {}
        self.last = "T" + TRAP
        self.ended = False
        self.answers: dict[str, Callable[[str], str | None]] = {
            "?": lambda rest: self._stopped_at(),
            "g": self._registers,
            "G": self._set_registers,
            "p": self._register,
            "P": self._set_register,
            "m": self._memory,
            "M": self._set_memory,
            "X": self._set_memory,
            "Z": self._insert,
            "z": self._remove,
            "H": self._choose,
            "T": lambda rest: "OK" if 1 <= int(rest, 16) <= len(CORE_IDS) else "E01",
            "c": lambda rest: self._run(),
            "s": lambda rest: self._step(),
            "b": self._back,
            "v": self._verb,
            "q": self._query,
            "D": lambda rest: self._leave(),
        }

    def serve(self, connection: Connection) -> None:
        """Answer until gdb leaves."""
        self.connection = connection
        try:
            for packet in self.connection.packets():
                if packet.startswith("k"):
                    self.ended = True
                    return
                self._serve(packet)
        except (Gone, OSError):
            return
        finally:
            for key in list(self.points):
                self.session.remove(self.points.pop(key).number)

    def _serve(self, packet: str) -> None:
        if packet == "QStartNoAckMode":
            self.connection.send("OK")
            self.connection.acknowledged = False
            return
        answer = self.answers.get(packet[:1])
        try:
            reply = answer(packet[1:]) if answer else ""
        except (BadInputError, ValueError, IndexError):
            reply = "E01"
        self.connection.send("" if reply is None else reply)

    def _leave(self) -> str:
        self.connection.send("OK")
        raise Gone

    # ------------------------------------------------------------------ what there is

    def _query(self, rest: str) -> str | None:
        name, _, argument = rest.partition(":")
        if name == "Supported":
            return FEATURES
        if name == "Xfer" and argument.startswith("features:read:target.xml:"):
            start, _, size = argument.rpartition(":")[2].partition(",")
            piece = TARGET[int(start, 16) :][: int(size, 16)]
            return ("m" if int(start, 16) + len(piece) < len(TARGET) else "l") + piece
        if name == "fThreadInfo":
            return "m" + ",".join(str(core + 1) for core in sorted(CORE_IDS.values()))
        if name == "sThreadInfo":
            return "l"
        if name == "C":
            return f"QC{self.session.core + 1:x}"
        if name == "Attached":
            return "1"
        if rest.startswith("ThreadExtraInfo,"):
            core = int(rest.partition(",")[2], 16) - 1
            running = self.made.state.s.riscv[core].running
            return _hex(f"{CORE_NAMES[core]}{'' if running else ' (in reset)'}")
        if rest.startswith("Rcmd,"):
            return self._monitor(unhexlify(rest[5:]).decode("latin-1"))
        return ""

    def _monitor(self, command: str) -> str:
        """Carry out a command of the terminal's; gdb prints what it says."""
        output = io.StringIO()
        before = self.made.moment
        Terminal(self.session, stdout=output).onecmd(command)
        said = output.getvalue() + (STALE if self.made.moment != before else "")
        return _hex(said) or "OK"

    def _choose(self, rest: str) -> str:
        number = int(rest[1:], 16) if rest[1:] != "-1" else 0
        if number > len(CORE_IDS):
            return "E01"
        if number > 0:
            self.session.choose(CORE_NAMES[number - 1])
        return "OK"

    # ------------------------------------------------------------------ registers and memory

    def _values(self) -> list[int]:
        return [self.session.register(i) for i in range(32)] + [self.session.pc()]

    def _registers(self, rest: str) -> str:
        return "".join(value.to_bytes(REGISTER_BYTES, "little").hex() for value in self._values())

    def _register(self, rest: str) -> str:
        values = self._values()
        number = int(rest, 16)
        return values[number].to_bytes(4, "little").hex() if number < len(values) else "E01"

    def _set(self, number: int, value: int) -> None:
        hart = self.made.state.s.riscv[self.session.core]
        if number == PC:
            hart.pc = value
        elif number:
            hart.x[number] = value

    def _set_register(self, rest: str) -> str:
        number, _, text = rest.partition("=")
        value = int.from_bytes(unhexlify(text), "little")
        self.made.written(lambda: self._set(int(number, 16), value))
        return "OK"

    def _set_registers(self, rest: str) -> str:
        values = np.frombuffer(unhexlify(rest), "<u4").tolist()

        def change() -> None:
            for number, value in enumerate(values[: PC + 1]):
                self._set(number, value)

        self.made.written(change)
        return "OK"

    def _memory(self, rest: str) -> str:
        address, _, size = rest.partition(",")
        data = read_bytes(self.made, self.session.core, int(address, 16), int(size, 16))
        return data.hex() or "E01"

    def _set_memory(self, rest: str) -> str:
        head, _, text = rest.partition(":")
        address, _, size = head.partition(",")
        count = int(size, 16)
        # M brings hexadecimal digits, X the bytes themselves
        data = unhexlify(text) if len(text) == 2 * count else text.encode("latin-1")
        if count:
            write_bytes(self.made, self.session.core, int(address, 16), data)
        return "OK"

    # ------------------------------------------------------------------ running

    def _insert(self, rest: str) -> str:
        kind, address, size = rest.split(",")[:3]
        at = int(address, 16)
        stops: list[Stop]
        if kind in "01":
            stops = [arrive(core, at) for core in CORE_IDS.values()]
        elif kind == "2" and at < self.made.tile.arch.l1_size:
            stops = [changed(self.made.place(f"l1[{at}:{int(size, 16)}]"))]
        else:
            return ""
        if (kind, at) not in self.points:
            self.points[kind, at] = self.session.add(f"gdb {kind} {at:#x}", stops)
        return "OK"

    def _remove(self, rest: str) -> str:
        kind, address, _ = rest.split(",")[:3]
        point = self.points.pop((kind, int(address, 16)), None)
        if point is not None:
            self.session.remove(point.number)
        return "OK"

    def _verb(self, rest: str) -> str | None:
        if rest == "Cont?":
            return "vCont;c;C;s;S"
        if not rest.startswith("Cont;"):
            return ""
        for action in rest[5:].split(";"):
            verb, _, thread = action.partition(":")
            if verb[0] in "sS":
                if thread:
                    self._choose(f"c{thread}")
                return self._step()
        return self._run()

    def _back(self, rest: str) -> str:
        if rest == "s":
            return self._told(self.session.step("instruction", -1), [])
        halt, hit = self.session.go(back=True)
        return self._told(halt, hit)

    def _step(self) -> str:
        return self._told(self.session.step("instruction"), [])

    def _run(self) -> str:
        halt, hit = self.session.go_until(self.connection.interrupted)
        return self._stopped_at("02") if halt.why is Why.LIMIT else self._told(halt, hit)

    def _told(self, halt: Halt, hit: list[int]) -> str:
        """Say why the tile stopped, and on which core."""
        reason = ""
        if halt.why is Why.BEGIN:
            reason = "replaylog:begin;"
        elif halt.end:
            self.connection.send("O" + _hex(f"{halt.end}\n"))
            reason = "replaylog:end;"
        for (kind, at), point in self.points.items():
            if point.number not in hit:
                continue
            if kind == "2":
                reason = f"watch:{at:x};"
            else:
                reason = "swbreak:;" if kind == "0" else "hwbreak:;"
                self.session.turn([point.number])
        return self._stopped_at(TRAP, reason)

    def _stopped_at(self, signal: str = TRAP, reason: str = "") -> str:
        return f"T{signal}{reason}thread:{self.session.core + 1:x};"


def _hex(text: str) -> str:
    return hexlify(text.encode("utf-8", "replace")).decode()


def serve(session: Session, listener: socket.socket) -> None:
    """Serve one gdb after the other, until one kills the program.

    Whoever connects and says nothing, or half of something, keeps nobody from being served.
    """
    ended = False
    waiting: list[Connection] = []
    try:
        while not ended:
            connection = first_to_speak(listener, waiting)
            with connection.link:
                stub = Stub(session)
                stub.serve(connection)
                ended = stub.ended
    finally:
        for connection in waiting:
            connection.link.close()
