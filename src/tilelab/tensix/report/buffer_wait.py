"""Which circular buffer a core waits for, and how many tiles it wants.

Asked of a core that spins in ``cb_wait_front`` or ``cb_reserve_back`` of tilelab's headers, by
experiment: on copies of the tile the core goes round its loop with other counters, until it leaves
the loop. So it does not matter how the compiler compared them.
"""

from collections.abc import Callable
from typing import Any, Final

from tilelab.elf.buffer_notes import ANY_BUFFER, Does
from tilelab.elf.frames import Frame
from tilelab.riscv.disassembly import find
from tilelab.riscv.table import Format
from tilelab.sim.kernel import OK
from tilelab.tensix.riscv.core import fetch_word, step
from tilelab.tensix.riscv.sources import Sources
from tilelab.tensix.state import TensixState
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.l1_map import CIRCULAR_BUFFERS
from tilelab.tensix.words.origin import CORE_NAMES

WAIT, RESERVE = "cb_wait_front", "cb_reserve_back"
LOOP: Final = 256
"""Instructions in which a spinning core has been everywhere in its loop."""
MOST: Final = 1 << 20
"""Tiles that a core may want, at most."""


def waited_buffer(state: TensixState, core: int, frames: tuple[Frame, ...]) -> str:
    """The circular buffer that a spinning core waits for, ``c_0``; "" if for none."""
    loop = _loop(state, core, frames)
    return f"c_{loop.buffer}" if loop else ""


def buffer_wait(state: TensixState, core: int, sources: Sources) -> str:
    """What a core that waits for a circular buffer waits for, and for whom; "" if for none."""
    frames = sources.frames(core, int(state.s.riscv[core].pc))
    loop = _loop(state, core, frames)
    if loop is None or loop.buffer is None:
        return ""
    received, acknowledged = loop.counters
    counts = f"({received} received, {acknowledged} acknowledged)"
    name = f"circular buffer {loop.buffer}"
    if WAIT in {frame.function for frame in frames}:
        wanted = loop.wanted()
        tiles = "more" if wanted is None else f"{loop.held} of {wanted}"
        text = f"waits for {name}: {tiles} tiles"
        who = _who(sources, Does.PUSHES, loop.buffer, "push", "pushes")
    else:
        text = f"waits for room in {name}: {held_back(loop)}"
        who = _who(sources, Does.POPS, loop.buffer, "pop", "pops")
    return "; ".join(part for part in (text, who) if part) + f" {counts}"


def wanted(state: TensixState, core: int, frames: tuple[Frame, ...]) -> str:
    """When a core that waits for a circular buffer would go on; "" if it waits for none."""
    loop = _loop(state, core, frames)
    if loop is None:
        return ""
    if WAIT in {frame.function for frame in frames}:
        number = loop.wanted()
        return f"{'more' if number is None else number} wanted"
    return held_back(loop)


def held_back(loop: "Loop") -> str:
    """When a core that waits for room would go on."""
    room = loop.room_wanted()
    if room is None:
        return "it wants more than there is"
    return f"it goes on when {loop.held - room} are left"


def _who(sources: Sources, does: Does, buffer: int, several: str, one: str) -> str:
    """Who pushes a buffer's tiles, or pops them, as far as the programs say."""
    said = {core: program.buffers(does) for core, program in sources.programs.items()}
    cores = [CORE_NAMES[core] for core, buffers in sorted(said.items()) if buffer in buffers]
    if cores:
        return f"{' and '.join(cores)} {one if len(cores) == 1 else several} it"
    if not any(said.values()) or any(ANY_BUFFER in buffers for buffers in said.values()):
        return ""
    return f"no core {one} it"


def _loop(state: TensixState, core: int, frames: tuple[Frame, ...]) -> "Loop | None":
    """The loop of a core that waits for a circular buffer."""
    if not {frame.function for frame in frames} & {WAIT, RESERVE}:
        return None
    loop = Loop(state, core)
    return None if loop.buffer is None else loop


def _first(holds: Callable[[int], bool], low: int, most: int = MOST) -> int | None:
    """The first number above ``low`` for which a rising condition holds; None up to ``most``."""
    width = 1
    while not holds(min(low + width, most)):
        if low + width >= most:
            return None
        low, width = low + width, width * 2
    high = min(low + width, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


class Loop:
    """A core's loop: where it runs, what it reads, and which buffer's counters are among that."""

    def __init__(self, state: TensixState, core: int) -> None:
        self.state, self.core = state, core
        self.copy = TensixState(state.arch)
        self.places: set[int] = set()
        self.read: set[int] = set()
        s = self._again()
        for _ in range(LOOP):
            pc = int(s.riscv[core].pc)
            self.places.add(pc)
            self.read |= loaded(s, core)
            if step(s, core) != OK:
                break
        buffers = {
            (address - CIRCULAR_BUFFERS.start) // 8
            for address in self.read
            if address in CIRCULAR_BUFFERS
        }
        self.buffer = buffers.pop() if len(buffers) == 1 else None

    def _again(self) -> Any:
        self.copy.record[...] = self.state.record
        self.copy.code[:] = self.state.code
        return self.copy.s

    @property
    def counters(self) -> tuple[int, int]:
        """How many tiles were received and acknowledged."""
        assert self.buffer is not None
        at = (CIRCULAR_BUFFERS.start >> 2) + 2 * self.buffer
        words = self.state.s.l1_32
        return int(words[at]), int(words[at + 1])

    @property
    def held(self) -> int:
        """How many tiles the buffer holds."""
        received, acknowledged = self.counters
        return received - acknowledged & 0xFFFFFFFF

    def wanted(self) -> int | None:
        """How many tiles it has to hold for the core to go on; None if no number will do."""
        return _first(self.leaves_with, self.held)

    def room_wanted(self) -> int | None:
        """How many of its tiles have to be popped for the core to go on; None: all are too few."""
        return _first(lambda fewer: self.leaves_with(self.held - fewer, drained=True), 0, self.held)

    def leaves_with(self, held: int, *, drained: bool = False) -> bool:
        """Whether the core would go on if its buffer held so many tiles.

        Other tiles were received, or with ``drained`` acknowledged, than really were.
        """
        assert self.buffer is not None
        s = self._again()
        at = (CIRCULAR_BUFFERS.start >> 2) + 2 * self.buffer
        if drained:
            s.l1_32[at + 1] = int(s.l1_32[at]) - held & 0xFFFFFFFF
        else:
            s.l1_32[at] = int(s.l1_32[at + 1]) + held & 0xFFFFFFFF
        for _ in range(2 * LOOP):
            if step(s, self.core) != OK or int(s.riscv[self.core].pc) not in self.places:
                return True
        return False


def loaded(s: State, core: int) -> set[int]:
    """The address that the core's next instruction loads from, if it is a load."""
    hart = s.riscv[core]
    word = fetch_word(s, core, hart.pc)
    row = find(word, s.arch.extensions)
    if row is None or row.format is not Format.LOAD:
        return set()
    _, base, offset = row.operands(word)
    return {(int(hart.x[base]) + offset) & 0xFFFFFFFC}
