"""How the cores push Tensix instructions, and how they see what became of them.

A word reaches a thread by ``.ttinsn`` or by a store to INSTRN_BUF; TRISCi's enter thread i before
its MOP expander, BRISC's enter after it. Sources: tt-isa-documentation, PushTensixInstruction.md,
CSRs.md (``tt_cfg_qstatus``).

Not modelled: fusion of adjacent ``.ttinsn`` (no effect on results) and Auto TTSync; in
``queue_status``, words that BRISC pushed count for the thread as the TRISC's own do.
"""

from typing import Final

from tilelab.sim.checks import Policy, check, fault, refuse
from tilelab.sim.errors import NonContractualBehaviorError, UndefinedBehaviorError
from tilelab.sim.fifo import slot
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chips.opcodes import REPLAY
from tilelab.tensix.frontend.fifo import LATE_CAPACITY, push, push_late
from tilelab.tensix.frontend.replay_expander import PLAY_BACK
from tilelab.tensix.riscv.semantics import execute
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import INSTRN_BUF
from tilelab.tensix.words.origin import BRISC, origin_of

STATUS_REPLAY: Final = 1 << 0
STATUS_MOP: Final = 1 << 1

FOREIGN_APERTURE = check(
    "push-foreign-aperture",
    UndefinedBehaviorError,
    "a TRISC stored an instruction at {value:#010x}; hardware hangs there",
    page="BabyRISCV/PushTensixInstruction.md",
    cure="a TRISC pushes to its own thread only, at 0xffe40000",
)
PUSH_COLLISION = check(
    "brisc-push-collision",
    NonContractualBehaviorError,
    "BRISC pushes {value:#010x} to a thread while words of its TRISC are on their way to the same "
    "mux (a MOP's too); where two meet, hardware silently discards the TRISC's",
    page="TensixCoprocessor/README.md",
    cure="let BRISC push only before that TRISC starts, or after its tensix_sync",
    policy=Policy.ERROR,
)


@execute(".ttinsn")
def ttinsn(s: State, core: int, word: int) -> int:
    """Push a word to the core's own thread (BRISC: to thread 0)."""
    return push_from(s, core, 0, word)


@kernel
def push_from(s: State, core: int, aperture: int, word: int) -> int:
    """Push through INSTRN_BUF number ``aperture``; waits while the FIFO is full."""
    origin = origin_of(core, s.riscv[core].pc)
    if core == BRISC:
        status = push_from_brisc(s, aperture, word, origin)
    elif aperture or core > BRISC:
        return fault(s, FOREIGN_APERTURE, INSTRN_BUF + (aperture << 16))
    else:
        status = push(s, core, word, origin)
    if status == OK:
        s.effects += 1
    return status


@kernel
def push_from_brisc(s: State, t: int, word: int, origin: int) -> int:
    """Push a word of BRISC's to a thread whose TRISC should be pushing nothing meanwhile.

    Which words meet at the mux on the same cycle is a matter of luck, so any that might is
    reported; where the policy lets the program go on, none is lost.
    """
    frontend = s.frontend[t]
    if (
        frontend.input_fifo.count or frontend.mop_active
    ) and frontend.late_fifo.count < LATE_CAPACITY:
        if refuse(s, PUSH_COLLISION, word):
            return PUSH_COLLISION
    return push_late(s, t, word, origin)


@kernel
def word_status(s: State, word: int) -> int:
    """The ``tt_cfg_qstatus`` bits of a queued word; a REPLAY that only records has none."""
    if word >> 24 == REPLAY:
        if REPLAY.load_mode(word) and not REPLAY.execute_while_loading(word):
            return 0
    return s.arch.queue_status[word >> 24]


@kernel
def queue_status(s: State, t: int) -> int:
    """The 11 bits of ``tensix_issue_queue_status``: which kinds of instruction are queued."""
    frontend = s.frontend[t]
    status = 0
    for i in range(frontend.input_fifo.count):
        status |= word_status(s, frontend.input_fifo.data[slot(frontend.input_fifo, i)])
    for i in range(frontend.late_fifo.count):
        status |= word_status(s, frontend.late_fifo.data[slot(frontend.late_fifo, i)])
    if frontend.gate_full:
        status |= word_status(s, frontend.gate_word)
    if frontend.mop_active:
        status |= STATUS_MOP
    if frontend.replay_mode == PLAY_BACK:
        status |= STATUS_REPLAY
    return status
