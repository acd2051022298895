"""What a core that spins polls, in words: circular buffers, semaphores, answers of the NoC.

Found by letting a copy of the tile go round the core's loop, so it does not matter what program it
is. Words are those of the vendor's kernels: they count the pages of circular buffer n in registers
of stream n, and keep semaphores and credits in L1.
"""

from collections.abc import Iterator
from typing import Final

from tilelab.sim.kernel import OK
from tilelab.tensix.noc import niu
from tilelab.tensix.report.buffer_wait import LOOP, loaded
from tilelab.tensix.riscv.core import step
from tilelab.tensix.state import TensixState
from tilelab.tensix.tables.noc_registers import COUNTER_WORDS, COUNTERS, STREAM_BYTES
from tilelab.tensix.tables.tile_registers import NOC, PC_BUF, SEMAPHORES, STREAMS

NIU_BYTES: Final = 0x10000
REGISTERS: Final = 0xFFB10000
"""Below are the cores' local RAMs, which nobody else writes."""
ANSWERS: Final = {
    niu.ATOMIC_RESPONSES: "answers to atomics",
    niu.WRITE_ACKS: "acknowledgements of writes",
    niu.READ_RESPONSES: "answers to reads",
    niu.WRITES_SENT: "writes that have left",
    niu.POSTED_WRITES_SENT: "posted writes that have left",
}


def polled(state: TensixState, core: int, copy: TensixState | None = None) -> list[str]:
    """What a spinning core reads in its loop that others can change; nothing if it does not spin.

    A loop is what brings the core back to its program counter within 256 instructions. ``copy``:
    a state of the same chip that may be overwritten; to make one takes longer than all else.
    """
    copy = copy or TensixState(state.arch)
    copy.record[...] = state.record
    copy.code[:] = state.code
    s, read = copy.s, set[int]()
    start = int(s.riscv[core].pc)
    for turn in range(LOOP):
        if turn and int(s.riscv[core].pc) == start:
            names = [name for address in sorted(read) for name in _names(copy, address)]
            return list(dict.fromkeys(names))
        read |= loaded(s, core)
        if step(s, core) != OK:
            break
    return []


def _names(state: TensixState, address: int) -> Iterator[str]:
    """What a load of an address looks at; nothing if only the core itself writes there."""
    s, about = state.s, state.arch.noc
    if address < state.arch.l1_size:
        yield f"L1 {address:#x} (a semaphore or a credit), which is {int(s.l1_32[address >> 2])}"
    elif STREAMS <= address < STREAMS + 64 * STREAM_BYTES:
        buffer, place = divmod(address - STREAMS, STREAM_BYTES)
        received, freed = int(s.noc.stream_size[buffer]), int(s.noc.stream_start[buffer])
        pages = f"{received} received, {freed} freed"
        if place == about.stream_size:
            yield f"circular buffer {buffer} for pages ({pages})"
        elif place == about.stream_start:
            yield f"circular buffer {buffer} for room ({pages})"
        else:
            yield f"stream {buffer}, register {place:#x}"
    elif NOC <= address < STREAMS:
        which, offset = divmod(address - NOC, NIU_BYTES)
        counter = (offset - COUNTERS) // 4
        if 0 <= counter < COUNTER_WORDS:
            name = ANSWERS.get(counter, f"counter {counter}")
            yield f"NoC {which}: {name} ({int(s.noc.counter[which, counter])})"
        else:
            yield f"NoC {which}, register {offset:#x}"
    elif PC_BUF + SEMAPHORES <= address < PC_BUF + SEMAPHORES + 32:
        semaphore = (address - PC_BUF - SEMAPHORES) // 4
        yield f"Tensix semaphore {semaphore} ({int(s.semaphore[semaphore].value)})"
    elif address >= REGISTERS:
        yield f"register {address:#x}"
