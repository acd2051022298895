"""What a core that goes round a loop waits for: an address, a buffer, who would write it.

And waits for a semaphore, by threads and by cores that poll one; who is held up at all.
"""

from collections.abc import Iterator
from typing import Any

from tilelab.check import shadow
from tilelab.check.ended import counted
from tilelab.check.engine import CheckedTile
from tilelab.check.findings import act_of, actor_of, party
from tilelab.check.looking import loops_around
from tilelab.check.waits import BUFFER, HOST, NOBODY, POST, ROOM, WORD, Wait
from tilelab.sim.fifo import slot
from tilelab.tensix.backend.mailboxes import partner
from tilelab.tensix.chips.opcodes import SEMGET, SEMPOST
from tilelab.tensix.report.buffer_wait import Loop, loaded, wanted
from tilelab.tensix.report.explain import MATH_PACK, SEMAPHORE_NAMES, describe_origin
from tilelab.tensix.state import THREADS
from tilelab.tensix.tables.l1_map import CIRCULAR_BUFFERS
from tilelab.tensix.tables.tile_registers import (
    LOCAL_RAM,
    MAILBOXES,
    MAILBOXES_END,
    PC_BUF,
    SEMAPHORES,
)
from tilelab.tensix.words.origin import BRISC, CORE_NAMES, origin_of, pushed_at, pusher

MAILBOX_BYTES = (MAILBOXES_END - MAILBOXES) // 4
FILLER, DRAINER = "TRISC2", "TRISC0"
"""Who counts tiles in tilelab's headers."""
USUAL = {(MATH_PACK, "post"): 1, (MATH_PACK, "get"): 2}
"""Which thread posts and which gets, by the convention of the vendor's libraries."""


def is_held_up(tile: CheckedTile, thread: str) -> bool:
    """Whether a thread has more to do, and cannot: its gate is shut, or its core waits."""
    t = int(thread[1:])
    s = tile.state.s
    if s.frontend[t].gate_full:
        return True
    running = bool(s.riscv[t].running)
    return running and (s.engine.core_wait[t] < 0 or bool(Loop(tile.state, t).read))


def queued(tile: CheckedTile, name: str, opcode: int, index: int) -> str:
    """A thread that is to post or get a semaphore with a word that waits in its queues; or ""."""
    for t in range(THREADS):
        frontend = tile.state.s.frontend[t]
        if f"T{t}" == name or not frontend.gate_full:
            continue
        words = [int(frontend.gate_word)]
        for fifo in (frontend.late_fifo, frontend.input_fifo):
            words += [int(fifo.data[slot(fifo, place)]) for place in range(fifo.count)]
        if any(w >> 24 == opcode and SEMPOST.sem_sel(w) >> index & 1 for w in words):
            return f"T{t}"
    return ""


def never_done(called: str, act: str, maximum: int) -> str:
    """What is most likely wrong with a semaphore that nobody has ever posted, or got."""
    if act == "get" and maximum == 0:
        never = f"{called} has a maximum of 0, which is reached from the start"
        return f"{never}: SEMINIT is missing, or is of other semaphores (it takes a mask)"
    return (
        f"{called} is waited for, and nobody has ever done a {act} of it: it is missing, "
        "or the wait is for another semaphore"
    )


def semaphore_wait(tile: CheckedTile, name: str, index: int, condition: int) -> Iterator[Wait]:
    """A wait for a semaphore: ``condition`` 1 while it is 0, 2 while it is at its maximum."""
    semaphore = tile.state.s.semaphore[index]
    called = f"semaphore {index} ({SEMAPHORE_NAMES[index]})"
    noted: Any = tile.engine.shadow["semaphore"][index]
    for bit, act, side, stuck in (
        (1, "post", 0, semaphore.value == 0),
        (2, "get", 1, semaphore.value >= semaphore.max),
    ):
        if not condition & bit or not stuck:
            continue
        origin = int(noted[side]["origin"])
        later = queued(tile, name, SEMPOST if act == "post" else SEMGET, index)
        if later and semaphore.max:
            mistake = f"{later}'s {act} of {called} comes behind its own wait: the order is wrong"
            yield Wait(name, later, f"to {act} {called}, which it has queued", mistake, POST)
            continue
        if not origin:
            mistake = never_done(called, act, int(semaphore.max))
            usual = USUAL.get((index, act), -1)
            stuck_too = usual >= 0 and f"T{usual}" != name and is_held_up(tile, f"T{usual}")
            holder = f"T{usual}" if stuck_too else NOBODY
            yield Wait(name, holder, f"to {act} {called}", mistake, POST)
            continue
        core = pusher(origin)
        who = f"T{core}" if core < THREADS else CORE_NAMES.get(core, "host")
        last = describe_origin(origin, tile.sources.describe_pc)
        mistake = f"one {act} of {called} too few: the last was by {last}"
        taken = int(noted[1 - side]["origin"])
        if taken:
            undone = describe_origin(taken, tile.sources.describe_pc)
            mistake += f"; or one {'get' if act == 'post' else 'post'} too many, last by {undone}"
        what = f"to {act} {called} (last by {last})"
        yield Wait(name, who, what, mistake, POST, last=act_of(noted[side]))


def polls(tile: CheckedTile, core: int) -> Iterator[Wait]:
    """The waits of a running core that no instruction of its own holds up."""
    loop = Loop(tile.state, core)
    seen = set()
    for address in sorted(loop.read):
        if LOCAL_RAM <= address < LOCAL_RAM + tile.arch.local_ram[core]:
            continue
        for wait in _poll(tile, core, address):
            if wait not in seen:
                seen.add(wait)
                yield wait


def _poll(tile: CheckedTile, core: int, address: int) -> Iterator[Wait]:
    number = (address - CIRCULAR_BUFFERS.start) // 8
    if address in CIRCULAR_BUFFERS and tile.engine.shadow["capacity"][number]:
        yield _buffer(tile, core, number, is_room=bool(address & 4))
    elif address < tile.arch.l1_size:
        yield _word(tile, core, address)
    elif core != BRISC and 0 <= address - PC_BUF - SEMAPHORES < 32:
        yield from semaphore_wait(tile, CORE_NAMES[core], (address - PC_BUF - SEMAPHORES) >> 2, 3)
    else:
        yield Wait(CORE_NAMES[core], NOBODY, f"to change the register {address:#x}, which it polls")


def _buffer(tile: CheckedTile, core: int, number: int, *, is_room: bool) -> Wait:
    """A wait for tiles in a circular buffer, or for room."""
    state, noted = tile.state, tile.engine.shadow
    index = 2 * number + is_room
    frames = tile.sources.frames(core, int(state.s.riscv[core].pc))
    at = CIRCULAR_BUFFERS.start // 4 + 2 * number
    received, acknowledged = int(state.s.l1_32[at]), int(state.s.l1_32[at + 1])
    missing = wanted(state, core, frames)
    tail = f"; {missing}" if missing else ""
    name, capacity = f"c_{number}", int(noted["capacity"][number])
    what = "room in" if is_room else "tiles in"
    held = f"{received} received, {acknowledged} acknowledged{tail}"
    last = counted(tile, index)
    by = int(noted["counted_by"][index])
    waiter = CORE_NAMES[core]
    act = f"to {'pop from' if is_room else 'push to'} {name} ({held})"
    said = f"{waiter} waits for {what} {name} ({held})"
    # who waits for tiles too, of the same buffer, cannot do anything about it
    weight = ROOM if is_room else BUFFER
    if by == shadow.HOST_OWNER:
        taken = f"{name} is an input: the host has put {capacity} tiles there and puts no more"
        said += f": {taken}; too many were waited for or popped"
        return Wait(waiter, HOST, act, said, weight, name, acknowledged)
    if by != shadow.NOBODY:
        holder = CORE_NAMES[by - 1]
        sides = f"the last was by {last.origin or last.actor}{_loops(tile, index)}" if last else ""
        if is_room:
            here = tile.sources.describe_pc(core, int(state.s.riscv[core].pc))
            sides += f"; or {waiter} reserves too much, at {here}"
        said += f": {holder} counts too few; {sides}"
        act_last = act_of(noted["counted"][index])
        return Wait(waiter, holder, act, said, weight, name, acknowledged, act_last)
    if is_room:
        reason = f"nobody pops from {name} while the kernel runs, and it has room for {capacity}"
        lookers = [(other, mark) for other, mark in _lookers(tile, index - 1) if other != core]
        for other, mark in lookers:
            lines = " → ".join(tile.sources.stack(other, mark >> shadow.PC_SHIFT))
            reason += f"; {CORE_NAMES[other]} waits for its tiles at {lines} and pops none"
        if "wants more" in missing:
            reason = f"more is reserved at once than the {capacity} tiles that {name} has room for"
        elif lookers:
            other, mark = lookers[0]
            look = (mark, 0, _origin(mark))
            return Wait(waiter, CORE_NAMES[other], act, f"{said}: {reason}", weight, last=look)
        return Wait(waiter, NOBODY, act, f"{said}: {reason}", weight)
    holder = FILLER if tile.state.s.riscv[2].running and core != 2 else NOBODY
    reason = f"nobody has ever pushed to {name}: cb_push_back is missing, or it is another buffer"
    return Wait(waiter, holder, act, f"{said}: {reason}", weight)


def _lookers(tile: CheckedTile, index: int) -> Iterator[tuple[int, int]]:
    """The cores that have read a counter, each with its mark when it did so last."""
    for core, mark in enumerate(tile.engine.shadow["looked"][:, index].tolist()):
        if mark:
            yield core, mark


def _loops(tile: CheckedTile, index: int) -> str:
    """The author's loops in which a counter was counted last: their bounds may be wrong."""
    origin = int(tile.engine.shadow["counted"][index]["origin"])
    core, pc = pusher(origin), pushed_at(origin)
    program = tile.programs.get(core)
    ends = loops_around(program, pc) if program else ()
    lines = dict.fromkeys(tile.sources.stack(core, end)[0] for end in ends)
    return "".join(f", in the loop of {line}" for line in lines if line)


def _word(tile: CheckedTile, core: int, address: int) -> Wait:
    """A wait for a word of L1."""
    mark = int(tile.engine.l1_shadow["shadow_writer"][address >> shadow.GRANULE_SHIFT])
    value = int(tile.state.s.l1_32[address >> 2])
    waiter = CORE_NAMES[core]
    what = f"to store to L1 {address:#x}, which holds {value:#x}"
    actor, thread = actor_of(mark)
    if mark == 0 or actor == waiter:
        said = "nobody has ever written it" if mark == 0 else "only it itself has written there"
        mistake = (
            f"{waiter} polls L1 {address:#x}, and {said}: a store is missing, or goes elsewhere"
        )
        return Wait(waiter, NOBODY, what, mistake, WORD)
    who = party(tile, mark, 0, _origin(mark))
    holder = actor if thread is None else f"T{thread}"
    mistake = f"{waiter} polls L1 {address:#x}, last written by {who.origin or who.actor}: "
    mistake += "one more store is missing"
    return Wait(waiter, holder, what, mistake, WORD, last=(mark, 0, _origin(mark)))


def _origin(mark: int) -> int:
    """Where a core was when it made a mark; 0 if it was no core."""
    core = (mark & shadow.ACTOR_MASK) - shadow.CORE_ACTOR
    return origin_of(core, mark >> shadow.PC_SHIFT) if 0 <= core < BRISC + 2 else 0


def mailbox(tile: CheckedTile, core: int) -> Wait:
    """A core that waits at a mailbox: to read one that is empty, or to write a full one."""
    s = tile.state.s
    waiter = CORE_NAMES[core]
    addresses = {at for at in loaded(s, core) if MAILBOXES <= at < MAILBOXES_END}
    if not addresses:
        return Wait(waiter, NOBODY, "to read from a full mailbox", "a mailbox is never read", WORD)
    other = CORE_NAMES[partner((addresses.pop() - MAILBOXES) // MAILBOX_BYTES)]
    mistake = f"{waiter} reads a mailbox of {other}'s once more than {other} writes it"
    return Wait(waiter, other, f"to write to the mailbox for {waiter}", mistake, WORD)
