"""What the vendor's simulator does in the place of a linked Ethernet tile's own firmware.

That firmware runs on the first core, and is not there. On a go message the simulator starts the
kernel on that core itself, as its launch message says, while the second core's firmware, which does
run, starts it as well. A chip in step does the same.

Where variables are is of one release, as the vendor's compiler and GCC lay it out (``Launch``).
Firmware that keeps its own place elsewhere is of another: the second core then serves alone, which
is enough for every program that was tried.
"""

from typing import Final

from tilelab.sim.kernel import WORD, kernel
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.ethernet_registers import STACK
from tilelab.tensix.words.origin import BRISC, NCRISC

MESSAGES: Final = 8
"""Launch messages that a tile has."""
BOTH: Final = 0x101
"""A coordinate, on either NoC a byte."""


@kernel
def is_known(s: State, place: int) -> int:
    """Whether the second core's firmware keeps its own place where this release does."""
    own = s.arch.layout.ethernet.launch.place_at >> 2
    ram = s.riscv[NCRISC].local_ram
    y = (place >> 6) * BOTH
    x = (place & 63) * BOTH
    return 1 if ram[own] & 0xFFFF == y and ram[own + 1] & 0xFFFF == x else 0


@kernel
def launch(s: State, place: int) -> None:
    """Start a kernel on a linked tile's first core, by its launch message."""
    if not is_known(s, place):
        return
    hart = s.riscv[BRISC]
    number = s.l1_32[s.arch.layout.ethernet.launch.number >> 2] % MESSAGES
    first = s.arch.layout.ethernet.launch.first
    at = (first + number * s.arch.layout.ethernet.launch.bytes) >> 2
    base = s.l1_32[at + (s.arch.layout.ethernet.launch.base >> 2)]
    arguments = s.l1_32[at + (s.arch.layout.ethernet.launch.arguments >> 2)]
    own = s.arch.layout.ethernet.launch.arguments_at >> 2
    hart.local_ram[own] = base + (arguments >> 16) & WORD
    hart.local_ram[own + 1] = base + (arguments & 0xFFFF) & WORD
    own = s.arch.layout.ethernet.launch.place_at >> 2
    hart.local_ram[own] = (place >> 6) * BOTH | hart.local_ram[own] & 0xFFFF0000
    hart.local_ram[own + 1] = (place & 63) * BOTH | hart.local_ram[own + 1] & 0xFFFF0000
    hart.pc = base + s.l1_32[at + (s.arch.layout.ethernet.launch.text >> 2)] & WORD
    hart.x[1] = 0
    hart.x[2] = STACK
    hart.x[3] = s.arch.layout.ethernet.launch.pointer
    hart.running = 1


@kernel
def park(s: State, core: int) -> None:
    """A kernel that was started so has returned: its core rests, and the host is told."""
    s.riscv[core].running = 0
    s.l1_32[s.arch.layout.ethernet.go_message >> 2] &= 0xFFFFFF
