"""Which circular buffer a core waits for, and how many tiles it wants.

Asked of a core that spins in ``cb_wait_front`` or ``cb_reserve_back`` of tilelab's headers, by
experiment: on copies of the tile the core goes round its loop with other counters, until it leaves
the loop. So it does not matter how the compiler compared them.
"""

from collections.abc import Callable
from typing import Any, Final

from tilelab.sim.kernel import OK
from tilelab.tensix.riscv.core import fetch_word, step
from tilelab.tensix.riscv.decode import find
from tilelab.tensix.riscv.dwarf import Frame
from tilelab.tensix.riscv.table import Format
from tilelab.tensix.state import TensixState
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.l1_map import CIRCULAR_BUFFERS

WAIT, RESERVE = "cb_wait_front", "cb_reserve_back"
LOOP: Final = 256
"""Instructions in which a spinning core has been everywhere in its loop."""
MOST: Final = 1 << 20
"""Tiles that a core may want, at most."""


def waited_buffer(state: TensixState, core: int, frames: tuple[Frame, ...]) -> str:
    """The circular buffer that a spinning core waits for, ``c_0``; "" if for none."""
    if not {frame.function for frame in frames} & {WAIT, RESERVE}:
        return ""
    buffer = Loop(state, core).buffer
    return "" if buffer is None else f"c_{buffer}"


def buffer_wait(state: TensixState, core: int, frames: tuple[Frame, ...]) -> str:
    """What a spinning core waits for, in words; "" if that is no circular buffer."""
    functions = {frame.function for frame in frames}
    if not functions & {WAIT, RESERVE}:
        return ""
    loop = Loop(state, core)
    if loop.buffer is None:
        return ""
    received, acknowledged = loop.counters
    held = received - acknowledged & 0xFFFFFFFF
    name = f"c_{loop.buffer}: {received} received, {acknowledged} acknowledged"
    if WAIT in functions:
        wanted = _first(loop.leaves_with, held)
        return f"waits for tiles in {name}, {'more' if wanted is None else wanted} wanted"
    room = _first(lambda fewer: loop.leaves_with(held - fewer, drained=True), 0, held)
    if room is None:
        return f"waits for room in {name}; it wants more than there is"
    return f"waits for room in {name}; it goes on when {held - room} are left"


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
