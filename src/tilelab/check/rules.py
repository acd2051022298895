"""The checks that a run under the checker makes, beside those that every run makes.

Each has a document behind it: a page of tt-isa-documentation, unless it says otherwise. A finding
has two parties where it can: ``message`` speaks of ``{this}`` and ``{other}``.

Those here are of the order of accesses, which all of the checker is about; others stand beside what
looks for them (see :mod:`.watch`).
"""

from dataclasses import dataclass
from typing import Any, Final

from tilelab.check import places
from tilelab.sim.checks import Check, Policy, declare
from tilelab.sim.errors import (
    MachineError,
    NonContractualBehaviorError,
    UndefinedBehaviorError,
    UnpredictableValueUsedError,
)


@dataclass(frozen=True)
class Rule(Check):
    """One check: ``message`` is a format string over ``where``, what is touched."""

    policy: Policy = Policy.ERROR
    """WARN for a mere convention."""
    other: str = ""
    """What the other party did."""
    place: places.Namer = places.cell
    """Names what a finding is about."""
    unwritten: bool = False
    """Whether it is a finding only if outputs depend on it: units read whole rows."""
    instead: str = ""
    """The machine's check that this one makes better, with both parties."""


def rule(
    name: str,
    message: str,
    page: str,
    cure: str,
    category: type[MachineError] = NonContractualBehaviorError,
    **more: Any,
) -> int:
    """Declare a check; returns its code."""
    return declare(Rule(name, category, message, page, cure, **more))


UNINIT_SRC: Final = rule(
    "uninit-src",
    "reads {where}, which nothing has written since the start",
    "SrcASrcB.md",
    "unpack the rows that the instruction reads, or clear the bank with UNPACR_NOP or ZEROSRC",
    category=UnpredictableValueUsedError,
    unwritten=True,
)
UNINIT_DST: Final = rule(
    "uninit-dst",
    "reads {where}, which nothing has written or cleared since the start",
    "Dst.md",
    "clear the rows with ZEROACC before accumulating, or read only rows that were written",
    category=UnpredictableValueUsedError,
    unwritten=True,
)
UNINIT_GPR: Final = rule(
    "uninit-gpr",
    "reads {where}, which nothing has written since the start",
    "ScalarUnit.md",
    "set the register first (SETDMAREG, or a store): what is there is another operation's",
    category=UnpredictableValueUsedError,
    unwritten=True,
)
UNINIT_L1: Final = rule(
    "uninit-l1",
    "reads {where}, which neither the host nor the program has written",
    "L1.md",
    "check the address and the tile's size, or write the data first",
    other="handed it over",
    category=UnpredictableValueUsedError,
    place=places.l1,
    unwritten=True,
)
UNINIT_PRIVATE: Final = rule(
    "uninit-private",
    "loads {where} of its own RAM, which it has not written",
    "BabyRISCV/README.md",
    "initialise the variable; reset does not clear this RAM on Wormhole",
    category=UnpredictableValueUsedError,
    place=places.number("{:#x}"),
)
STACK_OVER: Final = rule(
    "stack-overflow",
    "has its stack at {where}, among its variables",
    "BabyRISCV/README.md",
    "smaller arrays and fewer calls, or larger variables in L1: both share the core's own RAM",
    category=UndefinedBehaviorError,
    place=places.number("{:#x}"),
)
RACE_DST: Final = rule(
    "race-dst",
    "uses {where} with nothing that orders it behind the other's use",
    "Dst.md",
    "hand the half over by a semaphore, and let the post wait for the unit: STALLWAIT blocking "
    "SYNC until MATH or PACK has drained, then SEMPOST or SEMGET",
    other="used it",
)
RACE_L1: Final = rule(
    "race-l1",
    "uses {where} with nothing that orders it behind the other's use",
    "L1.md",
    "wait for the unit before telling the other side: STALLWAIT and a semaphore, or tensix_sync "
    "before the counter's store",
    other="used it",
    place=places.l1,
)
RACE_CONFIG: Final = rule(
    "race-config",
    "changes {where} while the other may still use the old value",
    "BackendConfiguration.md",
    "wait for the user first: STALLWAIT blocking CFG until the unit has drained, or tensix_sync "
    "before a store",
    other="uses it",
)
UNPACKER_BUSY: Final = rule(
    "config-under-unpacker",
    "changes {where} while an UNPACR that was issued before may still work",
    "tt-llk#747, tt-llk#1658",
    "STALLWAIT blocking CFG until the unpacker has drained, or tensix_sync before a store",
    other="uses it",
    policy=Policy.WARN,
)
ADDRESS_BUSY: Final = rule(
    "address-under-unpacker",
    "changes {where} while an UNPACR that was issued before may still work",
    "tt-metal#49201",
    "STALLWAIT blocking CFG until the unpacker has drained, or use the other context",
    other="reads from there",
    policy=Policy.OFF,
)
MATH_BUSY: Final = rule(
    "config-under-math",
    "changes {where} while an instruction that was issued before may still compute with it",
    "tt-llk#1683, tt-llk#1658",
    "STALLWAIT blocking CFG until MATH, and SFPU, has drained, or tensix_sync before a store",
    other="uses it",
    policy=Policy.WARN,
)
STALE_CONFIG: Final = rule(
    "config-not-ready",
    "uses {where}, and nothing orders that behind the other's write",
    "BackendConfiguration.md",
    "synchronise with the writer: a semaphore, a mutex, or write it from the same thread",
    other="wrote it",
)
RACE_GPR: Final = rule(
    "race-gpr",
    "uses {where} with nothing that orders it behind the other's access",
    "ScalarUnit.md",
    "STALLWAIT with condition THCON before using what the scalar unit writes; tensix_sync before "
    "a core touches it",
    other="accessed it",
)
OVERTAKEN: Final = rule(
    "setdmareg-overtaken",
    "uses {where}, which a SETDMAREG before it may not have written yet",
    "tt-isa-documentation#58",
    "STALLWAIT with condition THCON between the two: on Blackhole words behind one of the scalar "
    "unit's may go ahead of it",
    other="writes it",
    policy=Policy.WARN,
)
STORE_OVERTAKEN: Final = rule(
    "store-overtaken",
    "uses {where}, which a core's store before it may not have reached yet",
    "BabyRISCV/MemoryOrdering.md",
    "put a STALLWAIT with condition TRISC_CFG between the store and the word, blocking its unit; "
    "or read back what was stored before the word, the mailbox or the semaphore",
    other="stored to it",
)
L1_STORE_OVERTAKEN: Final = rule(
    "l1-store-overtaken",
    "reads {where}, which a core's store before it may not have reached yet",
    "BabyRISCV/MemoryOrdering.md",
    "read back what was stored, and use what was read, before the word, the mailbox or the "
    "semaphore that follows",
    other="stored to it",
    place=places.l1,
)
WRCFG_NEXT: Final = rule(
    "wrcfg-needs-nop",
    "uses {where} right behind the WRCFG that writes it",
    "WRCFG.md",
    "put a NOP between the two",
    other="wrote it",
)
DST_EARLY: Final = rule(
    "dst-read-early",
    "reads {where} less than three instructions after the matrix unit wrote it",
    "SFPLOAD.md",
    "put three other instructions between the two, or STALLWAIT blocking SFPU until MATH drained",
    other="wrote it",
)
BANK_EARLY: Final = rule(
    "src-bank-turning",
    "writes {where}, and the wait for its bank may have looked at the bank before",
    "MOVD2A.md",
    "let the STALLWAIT before it wait for MATH as well as for the bank: until the word that turns "
    "to the other bank is through, the bank before is looked at (tt-metal#55106)",
    other="turns to the other bank as it leaves the pipeline",
    place=lambda tile, value: places.SRCS[value],
)
BANK_UNWAITED: Final = rule(
    "src-bank-unwaited",
    "writes {where}, whose bank it has not waited for",
    "MOVD2B.md",
    "STALLWAIT on that source's bank before it: this instruction does not wait by itself",
    other="gives the bank",
    place=lambda tile, value: places.SRCS[value],
)
SRC_NOT_VALID: Final = rule(
    "src-not-valid",
    "reads {where}, whose bank the unpackers own",
    "MOVB2A.md",
    "STALLWAIT on SrcA or SrcB valid before it: this instruction does not wait by itself",
)
WRONG_THREAD: Final = rule(
    "wrong-thread",
    "executes what is {where}",
    "tt-llk: threads 0, 1 and 2 unpack, compute and pack",
    "issue it from that thread: its address counters and configuration are set there",
    place=places.number("not for thread {}"),
    policy=Policy.WARN,
)
LEAKED: Final = rule(
    "llk-state-leaked",
    "uses {where}",
    "tt-llk: an operation's uninit restores what its init changed",
    "have the uninit write back what the field was before the init",
    other="changed it",
)
SETTING_UNDONE: Final = rule(
    "setting-undone",
    "sets {where}",
    "tt-metal#50711",
    "make the setting behind the function that sets it back among much else",
    other="set it back",
)
SEMAPHORE_OVER: Final = rule(
    "semaphore-overflow",
    "posts {where} beyond its maximum, or beyond 15",
    "SEMPOST.md",
    "SEMWAIT (stall on max) before the post",
    other="posted it last",
    place=places.semaphore,
    instead="sempost-above-max",
)
SEMAPHORE_UNDER: Final = rule(
    "semaphore-underflow",
    "gets {where}, which is 0: nothing is taken",
    "SEMGET.md",
    "SEMWAIT (stall on zero) before the get",
    other="took the last one",
    place=places.semaphore,
    instead="semget-at-zero",
)
NOC_UNWAITED: Final = rule(
    "noc-read-unwaited",
    "uses {where}, which a NoC read may not have brought yet",
    "NoC/Counters.md",
    "wait for the read before its data are used, or told of: noc_async_read_barrier()",
    other="brings it",
    category=UndefinedBehaviorError,
    place=places.l1,
)
NOC_UNFLUSHED: Final = rule(
    "noc-write-unflushed",
    "writes {where}, which a NoC request may still have to take from there",
    "NoC/Counters.md",
    "wait until a write has left, or a read of this tile is over, before its source is used again, "
    "or given back: noc_async_writes_flushed() or a barrier",
    other="takes it",
    place=places.l1,
)
NOT_HELD: Final = rule(
    "mutex-not-held",
    "releases {where}, which its thread does not hold: nothing happens",
    "ATRELM.md",
    "take it first (ATGETM), and release the same one, once",
    other="asked for it last",
    place=places.number("mutex {}"),
)
NOC_UNANSWERED: Final = rule(
    "noc-write-unacknowledged",
    "uses {where}, where a NoC write may not have arrived yet",
    "NoC/Counters.md",
    "wait for the write's acknowledgement before its data are used, or told of: "
    "noc_async_write_barrier(); that it has left (noc_async_writes_flushed) is not enough",
    other="goes there",
    place=places.l1,
)
NOC_EARLY: Final = rule(
    "noc-source-under-way",
    "takes {where}, which a core's store before it may not have reached yet",
    "BabyRISCV/MemoryOrdering.md",
    "read back what was stored last, and use what was read, before the request (tt-metal#50367)",
    other="stored to it",
    place=places.l1,
    policy=Policy.WARN,
)
NOC_LEFT: Final = rule(
    "noc-left-outstanding",
    "ends with {where} for which no core has waited",
    "NoC/Counters.md",
    "wait before the kernel ends, so that nobody is told too early that it has: "
    "noc_async_read_barrier(), noc_async_write_barrier(), noc_async_atomic_barrier()",
    place=lambda tile, value: f"NoC {('reads', 'writes', 'atomics')[value]}",
)
L1_CODE: Final = rule(
    "l1-code-overwritten",
    "writes {where}, where a core's program is",
    "L1.md",
    "check the address and the size: they reach into a program",
    category=UndefinedBehaviorError,
    place=places.l1,
)
L1_OTHER: Final = rule(
    "l1-other-buffer",
    "writes {where}",
    "L1.md",
    "check the address and the tiles' count and size: they reach into what is not theirs",
    category=UndefinedBehaviorError,
    place=places.kind,
)


def _left(name: str, page: str, cure: str, policy: Policy = Policy.ERROR) -> int:
    """Declare a check of what is left at the end."""
    message = "the program ends with {where}"
    return rule(name, message, page, cure, policy=policy)


SEMAPHORE_LEFT: Final = _left(
    "semaphore-left",
    "SyncUnit.md",
    "as many posts as gets: a kernel that does not initialise it finds what this one leaves",
    Policy.WARN,
)
BANK_LEFT: Final = _left(
    "src-bank-left",
    "SrcASrcB.md",
    "use and release as many banks as are unpacked (SETRWC, CLEARDVALID): the kernel that follows "
    "computes with what is left",
)
MUTEX_LEFT: Final = _left(
    "mutex-left", "ATRELM.md", "ATRELM on every way out: who asks next waits for ever"
)
MAILBOX_LEFT: Final = _left(
    "mailbox-left",
    "Mailboxes.md",
    "read as many values as are written: the kernel that follows reads what is left",
)
LANES_LEFT: Final = _left(
    "lanes-left",
    "SFPENCC.md",
    "SFPENCC with immediate 3 and modifier 10, and as many SFPPOPC as SFPPUSHC: kernels begin with "
    "all lanes on",
)
