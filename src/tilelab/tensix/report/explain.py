"""Words for what went wrong: failed checks, deadlocks."""

from collections.abc import Callable
from typing import Final

from tilelab.sim.checks import CHECKS, Check
from tilelab.sim.errors import DeadlockError, MachineError
from tilelab.tensix.backend.register_map import UNMAPPED
from tilelab.tensix.backend.sync_unit import SEMWAIT
from tilelab.tensix.frontend.replay_expander import PASS, PLAY_BACK
from tilelab.tensix.report.buffer_wait import buffer_wait, waited_buffer
from tilelab.tensix.riscv.core import instruction_at
from tilelab.tensix.riscv.sources import Sources
from tilelab.tensix.state import CORES, THREADS, TensixState
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import LOCAL_RAM
from tilelab.tensix.words.assembly import disassemble
from tilelab.tensix.words.origin import CORE_NAMES, pushed_at, pusher, unpack_origin
from tilelab.tensix.words.waits import RELEASED_BY, WAIT_LATCHED, WAITS

DescribePc = Callable[[int, int], str]
MATH_PACK = 1
SEMAPHORE_NAMES = {
    0: "FPU_SFPU",
    MATH_PACK: "MATH_PACK",
    2: "UNPACK_TO_DEST",
    3: "UNPACK_OPERAND_SYNC",
    4: "PACK_DONE",
    5: "UNPACK_SYNC",
    6: "UNPACK_MATH_DONE",
    7: "MATH_DONE",
}
"""What tt-llk uses each semaphore for (ckernel_structs.h): a convention, not hardware."""
MANUAL = "tt-isa-documentation"
STACK_POINTER: Final = 2
"""sp is x2."""
LARGEST_FRAME: Final = 1 << 20
"""Bytes that a stack may want below local RAM; nothing is mapped there."""


def describe_origin(origin: int, describe_pc: DescribePc) -> str:
    """Say who pushed a word, and through which expanders it came."""
    where = unpack_origin(origin)
    text = describe_pc(where.core, where.pc)
    if where.mop_step is not None:
        text += f" -> word {where.mop_step} of the MOP's expansion"
    if where.replay_slot is not None:
        text += f" -> replay slot {where.replay_slot}"
    return text


def failure(
    state: TensixState,
    failed: Check,
    thread: int | None,
    word: int,
    origin: int,
    describe_pc: DescribePc,
) -> MachineError:
    """Return the exception for a failed check of a core's instruction or a thread's word."""
    fault = state.s.fault
    message = failed.message.format(value=fault.value, value2=fault.value2)
    lines = []
    if thread is None:
        message = _overflow(state, failed, pusher(origin)) + message
        where = CORE_NAMES.get(pusher(origin), "host")
        if instruction := instruction_at(state.s, pushed_at(origin)):
            lines.append(f"at     {instruction}")
    else:
        where = f"thread {thread}"
        lines.append(f"word   {word:#010x}  {disassemble(word, state.arch.name)}")
    lines.append(f"from   {describe_origin(origin, describe_pc)}")
    return told(failed, message, f"{where}, cycle {int(state.s.clock)}", lines)


def told(failed: Check, message: str, where: str, lines: list[str]) -> MachineError:
    """The exception for a failed check, as all of them look.

    ``message``: the check's, filled in. ``where``: who failed it, and when. ``lines``: its word or
    request and where that came from; manual, cure and the check's name follow.
    """
    lines = list(lines)
    if failed.page:
        lines.append(f"manual {MANUAL}: {failed.page}")
    if failed.cure:
        lines.append(f"cure   {failed.cure}")
    lines.append(f"check  {failed.name}")
    summary = f"{failed.category.category}: {message} ({where})"
    return failed.category(summary, "\n".join(f"  {line}" for line in lines))


def _overflow(state: TensixState, failed: Check, core: int) -> str:
    """What to say first of an address that a core's stack pointer led to."""
    below = LOCAL_RAM - LARGEST_FRAME
    if failed is not CHECKS[UNMAPPED] or not 0 <= core < CORES:
        return ""
    pointer = int(state.s.riscv[core].x[STACK_POINTER])
    overflows = below <= pointer < LOCAL_RAM and below <= int(state.s.fault.value) < LOCAL_RAM
    return "the core's stack has overflowed its local RAM: " if overflows else ""


def describe_wait(state: TensixState, thread: int) -> list[str]:
    """Say what a thread's latched wait instruction waits for, and who could end it."""
    s = state.s
    wait = s.frontend[thread].wait
    lines = [f"latched: {disassemble(wait.word, state.arch.name)}"]
    if wait.kind == SEMWAIT:
        for i in range(8):
            if not wait.semaphore_mask >> i & 1:
                continue
            semaphore = s.semaphore[i]
            now = f"semaphore {i} ({SEMAPHORE_NAMES[i]}) is {semaphore.value} of {semaphore.max}"
            if wait.condition_mask & 1 and semaphore.value == 0:
                lines.append(f"{now}: waits for a SEMPOST by another thread or core")
            if wait.condition_mask & 2 and semaphore.value >= semaphore.max:
                lines.append(f"{now}: waits for a SEMGET by another thread or core")
        return lines
    mask = wait.condition_mask >> state.arch.condition_src_a_cleared
    for which, name in enumerate(("SrcA", "SrcB")):
        src = s.src[which]
        if mask >> which & 1 and src.valid[src.unpack_bank]:
            lines.append(f"waits for the matrix unit to give {name}'s bank back")
    for which, name in enumerate(("SrcA", "SrcB")):
        src = s.src[which]
        if mask >> which & 4 and not src.valid[src.matrix_bank]:
            lines.append(f"waits for an unpack to {name}")
    return lines


def describe_thread(state: TensixState, thread: int, describe_pc: DescribePc) -> list[str]:
    """Say where a thread's frontend is and what its head word waits for."""
    f = state.s.frontend[thread]
    code = state.s.engine.gate_wait[thread]
    capacity = state.arch.input_fifo[thread]
    lines = [
        f"T{thread}: input FIFO {f.input_fifo.count}/{capacity}, behind the MOP {f.late_fifo.count}"
    ]
    if f.mop_active:
        lines.append(f"  MOP expander: {f.mop_emitted} words emitted of {f.mop_word:#010x}")
    if f.replay_mode == PLAY_BACK:
        lines.append(f"  replay expander: {f.replay_left} words to play from {f.replay_index}")
    elif f.replay_mode != PASS:
        lines.append(f"  replay expander: {f.replay_left} words to record at {f.replay_index}")
    if not f.gate_full:
        lines.append("  wait gate: empty")
        return lines
    lines.append(f"  wait gate: {f.gate_word:#010x} {disassemble(f.gate_word, state.arch.name)}")
    lines.append(f"    from {describe_origin(f.gate_origin, describe_pc)}")
    if code == WAIT_LATCHED:
        lines += [f"    {line}" for line in describe_wait(state, thread)]
    elif code in WAITS:
        lines.append(f"    waits: {WAITS[code]}")
        lines.append(f"    released by: {RELEASED_BY[code]}")
    return lines


def describe_core(state: TensixState, core: int, sources: Sources) -> str:
    """Say where a core is and what it does; one that waits for a circular buffer, for which."""
    riscv = state.s.riscv[core]
    code = state.s.engine.core_wait[core]
    if not riscv.running:
        return f"{CORE_NAMES[core]}: held in reset"
    where = sources.describe_pc(core, riscv.pc)
    if code in WAITS:
        return f"{where}: {WAITS[code]}"
    waited = buffer_wait(state, core, sources)
    return f"{where}: {waited or 'spins, reading memory'}"


def _blame(state: TensixState, sources: Sources) -> str:
    """One clause per part that is held up, for the summary line."""
    parts = []
    for t in range(THREADS):
        f = state.s.frontend[t]
        if f.gate_full and state.s.engine.gate_wait[t] < 0:
            name = disassemble(f.gate_word, state.arch.name).split()[0]
            parts.append(f"T{t} at {name}")
    for core in range(CORES):
        if state.s.riscv[core].running:
            how = "waits" if state.s.engine.core_wait[core] < 0 else "spins"
            if how == "spins":
                frames = sources.frames(core, state.s.riscv[core].pc)
                buffer = waited_buffer(state, core, frames)
                how = f"waits for {buffer}" if buffer else how
            parts.append(f"{CORE_NAMES[core]} {how}")
    return ", ".join(parts) or "nothing runs"


def whereabouts(state: TensixState, sources: Sources) -> str:
    """Say where every core and thread is, what it waits for, and who could release it."""
    s: State = state.s
    lines = [describe_core(state, core, sources) for core in range(CORES)]
    for t in range(THREADS):
        lines += describe_thread(state, t, sources.describe_pc)
    semaphores = [f"{i} {s.semaphore[i].value}/{s.semaphore[i].max}" for i in range(8)]
    lines.append(f"semaphores (value/max): {', '.join(semaphores)}")
    owner = ("unpackers", "matrix unit")
    for name, valid in (("SrcA", s.src[0].valid), ("SrcB", s.src[1].valid)):
        lines.append(f"{name} banks: 0 {owner[valid[0]]}, 1 {owner[valid[1]]}")
    held = [f"{i} by T{s.mutex[i] - 1}" for i in range(8) if s.mutex[i]]
    lines.append(f"mutexes held: {', '.join(held) or 'none'}")
    lines += [f"note: {note}" for note in sources.notes]
    return "\n".join(f"  {line}" for line in lines)


def deadlock(state: TensixState, sources: Sources) -> DeadlockError:
    """Return the report of a tile in which nothing can change any more."""
    held = _blame(state, sources)
    summary = f"Deadlock at cycle {int(state.s.clock)}: nothing can make progress ({held})"
    return DeadlockError(summary, whereabouts(state, sources))
