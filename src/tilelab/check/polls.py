"""What a core that goes round a loop waits for: which address, which buffer, who would write it."""

from collections.abc import Iterator

from tilelab.check import shadow
from tilelab.check.ended import counted
from tilelab.check.engine import CheckedTile
from tilelab.check.findings import act_of, actor_of, party
from tilelab.check.looking import loops_around
from tilelab.check.semaphore_waits import semaphore_wait
from tilelab.check.waits import BUFFER, HOST, NOBODY, ROOM, WORD, Wait
from tilelab.tensix.backend.mailboxes import partner
from tilelab.tensix.report.buffer_wait import Loop, loaded, wanted
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
