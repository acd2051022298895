"""The checks that a run under the checker makes, beside those that every run makes.

Each has a document behind it: a page of tt-isa-documentation, unless it says otherwise. A finding
has two parties where it can: ``message`` speaks of ``{this}`` and ``{other}``.
"""

from dataclasses import dataclass
from typing import Final

RULES: Final[dict[int, "Rule"]] = {}
RULES_BY_NAME: Final[dict[str, "Rule"]] = {}


@dataclass(frozen=True)
class Rule:
    """One check: ``message`` is a format string over ``where``, what is touched."""

    code: int
    name: str
    category: str
    message: str
    other: str
    """What the other party did."""
    page: str
    cure: str
    policy: str = "error"
    """What it is if nobody says otherwise: ``error``, or ``warn`` for a mere convention."""


def rule(
    name: str,
    category: str,
    message: str,
    other: str,
    page: str,
    cure: str,
    policy: str = "error",
) -> int:
    """Declare a check; returns its code."""
    code = len(RULES) + 1
    made = Rule(code, name, category, message, other, page, cure, policy)
    RULES[code] = RULES_BY_NAME[name] = made
    return code


UNPREDICTABLE = "UnpredictableValueUsed"
NOT_CONTRACTUAL = "NonContractualBehavior"
UNDEFINED = "UndefinedBehavior"

UNINIT_SRC: Final = rule(
    "uninit-src",
    UNPREDICTABLE,
    "reads {where}, which nothing has written since the start",
    "",
    "SrcASrcB.md",
    "unpack the rows that the instruction reads, or clear the bank with UNPACR_NOP or ZEROSRC",
)
UNINIT_DST: Final = rule(
    "uninit-dst",
    UNPREDICTABLE,
    "reads {where}, which nothing has written or cleared since the start",
    "",
    "Dst.md",
    "clear the rows with ZEROACC before accumulating, or read only rows that were written",
)
UNINIT_LREG: Final = rule(
    "uninit-lreg",
    UNPREDICTABLE,
    "reads {where}, which nothing has written since the start",
    "",
    "LReg.md",
    "load the register first (SFPLOAD, SFPLOADI)",
)
UNINIT_L1: Final = rule(
    "uninit-l1",
    UNPREDICTABLE,
    "reads {where}, which neither the host nor the program has written",
    "",
    "L1.md",
    "check the address and the tile's size, or write the data first",
)
UNINIT_PRIVATE: Final = rule(
    "uninit-private",
    UNPREDICTABLE,
    "loads {where} of its own RAM, which it has not written",
    "",
    "BabyRISCV/README.md",
    "initialise the variable; reset does not clear this RAM on Wormhole",
)
RACE_DST: Final = rule(
    "race-dst",
    NOT_CONTRACTUAL,
    "uses {where} with nothing that orders it behind the other's use",
    "used it",
    "Dst.md",
    "hand the half over by a semaphore, and let the post wait for the unit: STALLWAIT blocking "
    "SYNC until MATH or PACK has drained, then SEMPOST or SEMGET",
)
RACE_L1: Final = rule(
    "race-l1",
    NOT_CONTRACTUAL,
    "uses {where} with nothing that orders it behind the other's use",
    "used it",
    "L1.md",
    "wait for the unit before telling the other side: STALLWAIT and a semaphore, or tensix_sync "
    "before the counter's store",
)
RACE_CONFIG: Final = rule(
    "race-config",
    NOT_CONTRACTUAL,
    "changes {where} while the other may still use the old value",
    "uses it",
    "BackendConfiguration.md",
    "wait for the user first: STALLWAIT blocking CFG until the unit has drained, or tensix_sync "
    "before a store",
)
STALE_CONFIG: Final = rule(
    "config-not-ready",
    NOT_CONTRACTUAL,
    "uses {where}, and nothing orders that behind the other's write",
    "wrote it",
    "BackendConfiguration.md",
    "synchronise with the writer: a semaphore, a mutex, or write it from the same thread",
)
RACE_GPR: Final = rule(
    "race-gpr",
    NOT_CONTRACTUAL,
    "uses {where} with nothing that orders it behind the other's access",
    "accessed it",
    "ScalarUnit.md",
    "STALLWAIT with condition THCON before using what the scalar unit writes; tensix_sync before "
    "a core touches it",
)
OVERTAKEN: Final = rule(
    "setdmareg-overtaken",
    NOT_CONTRACTUAL,
    "uses {where}, which a SETDMAREG before it may not have written yet",
    "writes it",
    "tt-isa-documentation#58",
    "STALLWAIT with condition THCON between the two: on Blackhole words behind one of the scalar "
    "unit's may go ahead of it",
    "warn",
)
WRCFG_NEXT: Final = rule(
    "wrcfg-needs-nop",
    NOT_CONTRACTUAL,
    "uses {where} right behind the WRCFG that writes it",
    "wrote it",
    "WRCFG.md",
    "put a NOP between the two",
)
DST_EARLY: Final = rule(
    "dst-read-early",
    NOT_CONTRACTUAL,
    "reads {where} less than three instructions after the matrix unit wrote it",
    "wrote it",
    "SFPLOAD.md",
    "put three other instructions between the two, or STALLWAIT blocking SFPU until MATH drained",
)
SFPU_LATENCY: Final = rule(
    "sfpu-latency",
    NOT_CONTRACTUAL,
    "reads {where} in the cycle in which its result is not there yet",
    "computes it in two cycles",
    "SFPMAD.md",
    "put an SFPNOP between the two",
)
BANK_EARLY: Final = rule(
    "src-bank-turning",
    NOT_CONTRACTUAL,
    "writes {where}, and the wait for its bank may have looked at the bank before",
    "turns to the other bank as it leaves the pipeline",
    "MOVD2A.md",
    "let the STALLWAIT before it wait for MATH as well as for the bank: until the word that turns "
    "to the other bank is through, the bank before is looked at (tt-metal#55106)",
)
SRC_NOT_VALID: Final = rule(
    "src-not-valid",
    NOT_CONTRACTUAL,
    "reads {where}, whose bank the unpackers own",
    "",
    "MOVB2A.md",
    "STALLWAIT on SrcA or SrcB valid before it: this instruction does not wait by itself",
)
MOPCFG_BUSY: Final = rule(
    "mop-cfg-busy",
    NOT_CONTRACTUAL,
    "writes {where} while a MOP of its thread is queued or expanding",
    "is the MOP",
    "MOPExpander.md",
    "call mop_sync() before programming the MOP",
)
STALE_MASK: Final = rule(
    "mop-mask-stale",
    NOT_CONTRACTUAL,
    "a MOP of more than 16 iterations takes {where} that was set for an earlier MOP",
    "is the MOP that it was set for",
    "MOP_CFG.md",
    "issue MOP_CFG before each MOP whose mask has more than 16 bits",
)
REPLAY_EMPTY: Final = rule(
    "replay-not-recorded",
    UNPREDICTABLE,
    "plays back {where}, which was never recorded",
    "",
    "REPLAY.md",
    "record the slots first; an init that records them was skipped",
)
REPLAY_CHANGED: Final = rule(
    "replay-clobbered",
    NOT_CONTRACTUAL,
    "a MOP plays back {where}, whose word has changed since the MOP was programmed",
    "recorded the new word",
    "REPLAY.md",
    "record the slots and program the MOP anew (run the init again), or use other slots",
)
REPLAY_TAKEN: Final = rule(
    "replay-overwritten",
    NOT_CONTRACTUAL,
    "plays back {where}, which another user of the slots has recorded anew",
    "recorded it, and plays it too",
    "REPLAY.md",
    "record the slots again before playing them (run the init again), or use other slots",
)
REPLAY_OLD_MOP: Final = rule(
    "replay-of-old-mop",
    NOT_CONTRACTUAL,
    "plays back {where}, which holds a word of a MOP that has been programmed anew since",
    "was recorded",
    "REPLAY.md",
    "record the slots again once the MOP is programmed anew",
)
WRONG_THREAD: Final = rule(
    "wrong-thread",
    NOT_CONTRACTUAL,
    "executes what is {where}",
    "",
    "tt-llk: threads 0, 1 and 2 unpack, compute and pack",
    "issue it from that thread: its address counters and configuration are set there",
    "warn",
)
LEAKED: Final = rule(
    "llk-state-leaked",
    NOT_CONTRACTUAL,
    "uses {where}",
    "changed it",
    "tt-llk: an operation's uninit restores what its init changed",
    "have the uninit write back what the field was before the init",
)
SEMAPHORE_OVER: Final = rule(
    "semaphore-overflow",
    NOT_CONTRACTUAL,
    "posts {where} beyond its maximum, or beyond 15",
    "posted it last",
    "SEMPOST.md",
    "SEMWAIT (stall on max) before the post",
)
SEMAPHORE_UNDER: Final = rule(
    "semaphore-underflow",
    NOT_CONTRACTUAL,
    "gets {where}, which is 0: nothing is taken",
    "took the last one",
    "SEMGET.md",
    "SEMWAIT (stall on zero) before the get",
)
NOC_UNWAITED: Final = rule(
    "noc-read-unwaited",
    UNDEFINED,
    "uses {where}, which a NoC read may not have brought yet",
    "brings it",
    "NoC/Counters.md",
    "wait for the read before its data are used, or told of: noc_async_read_barrier()",
)
NOC_UNFLUSHED: Final = rule(
    "noc-write-unflushed",
    NOT_CONTRACTUAL,
    "writes {where}, which a NoC write may still have to take from there",
    "takes it",
    "NoC/Counters.md",
    "wait until the write has left before its source is used again, or given back: "
    "noc_async_writes_flushed() or noc_async_write_barrier()",
)
L1_CODE: Final = rule(
    "l1-code-overwritten",
    UNDEFINED,
    "writes {where}, where a core's program is",
    "",
    "L1.md",
    "check the address and the size: they reach into a program",
)
L1_OTHER: Final = rule(
    "l1-other-buffer",
    UNDEFINED,
    "writes {where}",
    "",
    "L1.md",
    "check the address and the tiles' count and size: they reach into what is not theirs",
)
CB_TWO: Final = rule(
    "cb-two-owners",
    NOT_CONTRACTUAL,
    "counts {where}, which another core, or the host, counts",
    "counts it",
    "tilelab: circular_buffers.h",
    "one core fills a circular buffer, and one drains it",
)
CB_EMPTY: Final = rule(
    "cb-pop-unfilled",
    NOT_CONTRACTUAL,
    "counts {where} beyond the tiles that were pushed",
    "pushed last",
    "tilelab: circular_buffers.h",
    "cb_wait_front for as many tiles as cb_pop_front takes",
)
CB_UNWAITED: Final = rule(
    "cb-pop-unwaited",
    NOT_CONTRACTUAL,
    "counts {where} beyond the tiles that its core has seen there",
    "pushed last",
    "tilelab: circular_buffers.h",
    "cb_wait_front before cb_pop_front, for as many tiles",
)
CB_FULL: Final = rule(
    "cb-push-unreserved",
    NOT_CONTRACTUAL,
    "counts {where} beyond what the buffer has room for",
    "popped last",
    "tilelab: circular_buffers.h",
    "cb_reserve_back for as many tiles as cb_push_back gives",
)
CB_BACK: Final = rule(
    "cb-counter-back",
    NOT_CONTRACTUAL,
    "sets {where} back to a lower number",
    "counted last",
    "tilelab: circular_buffers.h",
    "count on in all 32 bits: a narrower counter starts anew, and the other side waits for ever",
)
CB_LEFT: Final = rule(
    "cb-pages-left",
    NOT_CONTRACTUAL,
    "the program ends with {where}",
    "counted the other side last",
    "tilelab: circular_buffers.h",
    "let both sides of the buffer count the same tiles: see the bounds of the two loops",
)
