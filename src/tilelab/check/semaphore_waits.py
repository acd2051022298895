"""Waits for a semaphore, by threads and by cores that poll one; who is held up at all."""

from collections.abc import Iterator
from typing import Any

from tilelab.check.engine import CheckedTile
from tilelab.check.findings import act_of
from tilelab.check.waits import NOBODY, POST, Wait
from tilelab.sim.fifo import slot
from tilelab.tensix.chips.opcodes import SEMGET, SEMPOST
from tilelab.tensix.report.buffer_wait import Loop
from tilelab.tensix.report.explain import MATH_PACK, SEMAPHORE_NAMES, describe_origin
from tilelab.tensix.state import THREADS
from tilelab.tensix.words.origin import CORE_NAMES, pusher

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
