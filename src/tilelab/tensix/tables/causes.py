"""Why nothing happened in a cycle: at a wait gate, in a core.

Numbers are indices of the counters in ``state.cycle``.
"""

from typing import Final

ISSUED, FIFO_EMPTY, MOP_TRANSITION, ABSORBED, RECORDED = range(5)
WAIT_SEMAPHORE, WAIT_UNIT, WAIT_BANK, WAIT_LAG = range(5, 9)
BANK_MATRIX, BANK_UNPACK, DST_HAZARD, UNIT_BUSY, UNIT_TAKEN = range(9, 14)
THREAD_HELD, RESULT_LATE, MUTEX, CAUSE_COUNT = range(14, 18)

CAUSES: dict[int, tuple[str, str]] = {
    ISSUED: ("issued", "an instruction passed the gate"),
    FIFO_EMPTY: ("FIFO empty", "nothing was pushed: the RISC-V core is the limit, or has no work"),
    MOP_TRANSITION: ("MOP transition", "the dead cycle between a MOP and a word that is not one"),
    ABSORBED: ("absorbed", "the MOP expander took in a MOP_CFG, or a MOP that emits nothing"),
    RECORDED: ("recorded", "the replay expander recorded a word without executing it"),
    WAIT_SEMAPHORE: ("semaphore", "a latched SEMWAIT waits for a semaphore"),
    WAIT_UNIT: ("unit to drain", "a latched STALLWAIT waits for a unit's pipeline to be empty"),
    WAIT_BANK: ("bank (STALLWAIT)", "a latched STALLWAIT waits for the owner of a Src bank"),
    WAIT_LAG: ("wait released", "the cycle between a wait's condition coming true and its release"),
    BANK_MATRIX: ("operands", "the matrix unit has no valid SrcA or SrcB bank: unpacking is late"),
    BANK_UNPACK: ("Src banks full", "the unpacker's bank still belongs to the matrix unit"),
    DST_HAZARD: ("Dst hazard", "the Dst block to be read was written less than 6 cycles ago"),
    UNIT_BUSY: ("unit busy", "the unit still works on an earlier instruction"),
    UNIT_TAKEN: ("unit shared", "another thread's instruction went first"),
    THREAD_HELD: (
        "thread held",
        "Wormhole's scalar unit or an unpacker's start holds the whole thread",
    ),
    RESULT_LATE: ("result late", "the vector unit's previous result takes a second cycle"),
    MUTEX: ("mutex", "another thread holds the mutex"),
}
"""Name and meaning of each cause, as shown to users."""

ADVICE: dict[int, str] = {
    FIFO_EMPTY: "let MOPs and REPLAYs make the words, and the core do less between them",
    MOP_TRANSITION: "end the MOP with a REPLAY of two words or more",
    ABSORBED: "program MOPs outside loops",
    RECORDED: "record replays outside loops",
    WAIT_SEMAPHORE: "look at the thread that posts or gets it",
    WAIT_UNIT: "wait where the result is needed, and for that unit alone",
    WAIT_BANK: "look at the thread that owns the bank",
    WAIT_LAG: "use fewer waits",
    BANK_MATRIX: "unpack earlier, or less for each product",
    BANK_UNPACK: "give the matrix unit less to do for each bank: it is the limit",
    DST_HAZARD: "use six Dst blocks or more in turn",
    UNIT_BUSY: "put words for other units between",
    UNIT_TAKEN: "let the other threads ask for that unit at another time",
    THREAD_HELD: "use fewer GPR operations in the loop",
    RESULT_LATE: "put another instruction between",
    MUTEX: "hold the mutex for fewer words",
}
"""What may shorten each kind of bubble."""

AT_REST: Final = ("at rest", "the tile was not run: it waited, or only repeated itself")
"""Name and meaning of what nothing counts: a chip passes such cycles over in one step."""

CORE_RETIRED, CORE_OPERAND, CORE_BRANCH, CORE_BUSY, CORE_PUSH = range(5)
CORE_SYNC, CORE_MAILBOX, CORE_RESET, CORE_FETCH, CORE_STORE, CORE_CAUSE_COUNT = range(5, 11)

CORE_CAUSES: dict[int, tuple[str, str]] = {
    CORE_RETIRED: ("executed", "an instruction (or a fused group of .ttinsn) executed"),
    CORE_OPERAND: ("load latency", "an operand is still being loaded or multiplied"),
    CORE_BRANCH: ("mispredicted", "bubble after a branch that went the other way"),
    CORE_BUSY: ("divide", "a division occupies the core, or nothing overtakes a CSR instruction"),
    CORE_PUSH: ("back-pressure", "the Tensix FIFO is full"),
    CORE_SYNC: ("sync", "mop_sync or tensix_sync waits"),
    CORE_MAILBOX: ("mailbox", "a mailbox is empty or full"),
    CORE_RESET: ("in reset", "the core is held in reset"),
    CORE_FETCH: ("instruction fetch", "the next instruction is not in the cache"),
    CORE_STORE: ("store queue full", "stores to L1 take five cycles each"),
}
