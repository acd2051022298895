"""What is left when a program has ended: NoC requests, and words that were only recorded."""

from collections.abc import Iterator

from tilelab.check import shadow
from tilelab.check.engine import CheckedTile
from tilelab.check.findings import Finding, found_by, party, rule_of
from tilelab.check.replays import PLAYERS, SHORT_TAIL, SWALLOWED, SYNCHRONISE
from tilelab.check.rules import NOC_LEFT
from tilelab.tensix.chips.opcodes import STALLWAIT
from tilelab.tensix.state.layout import CORES, THREADS
from tilelab.tensix.tables.noc_registers import NIUS
from tilelab.tensix.words.origin import CORE_NAMES

ANSWERED = (shadow.NOC_READ_PIPE, shadow.NOC_LAND_PIPE)
"""The actors whose acts a core learns of by a read's answers, by a write's acknowledgements."""


def left_outstanding(tile: CheckedTile) -> Iterator[Finding]:
    """Each core's last read and write on each interface, if no core has seen that they are over.

    A request that another finding is about already is left out.
    """
    noted = tile.engine.shadow
    said = {int(f["other_origin"]) for f in noted["finding"][: int(noted["found"])]}
    for kind, niu, core in (
        (kind, niu, core) for kind in range(2) for niu in range(NIUS) for core in range(CORES)
    ):
        last = int(noted["noc_last"][kind, niu, core])
        actor = ANSWERED[kind] * 4 + niu
        known = max(int(noted["known"]["of"][row][actor]) for row in range(THREADS, shadow.KNOWERS))
        origin = int(noted["noc_origin"][last & (shadow.NOC_LOG - 1)])
        if last <= known or int(noted["noc_now"]) - last >= shadow.NOC_LOG or origin in said:
            continue
        if tile.is_off(NOC_LEFT):
            continue
        side = party(tile, last << shadow.EPOCH_SHIFT | actor, 0, origin)
        rule = rule_of(NOC_LEFT)
        where = rule.place(tile, kind)
        message = f"{CORE_NAMES[core]} {rule.message.format(where=where)}"
        yield found_by(rule, message, where, int(tile.state.s.clock), (side,))


def swallowed(tile: CheckedTile) -> Iterator[Finding]:
    """Words for others, or that wait, which a thread recorded and neither executed nor played.

    A STALLWAIT is one only at the end of a recording that was played but for that end.
    """
    noted = tile.engine.shadow
    for t in range(0 if tile.is_off(SWALLOWED) else THREADS):
        owner, held, words = (noted[f"slot_{name}"][t] for name in ("owner", "held", "word"))
        for at in held.nonzero()[0]:
            mine = [slot for slot in range(len(held)) if owner[slot] == owner[at]]
            tail = [slot for slot in mine if held[slot]]
            ends = tail == mine[len(mine) - len(tail) :] and len(tail) <= SHORT_TAIL
            opcode = int(words[at]) >> 24
            cut_off = opcode == STALLWAIT and ends and len(tail) < len(mine)
            if opcode not in SYNCHRONISE and not cut_off:
                continue
            by = int(owner[at]) & (PLAYERS - 1)
            recorder = int(noted["recorder_word"][by]), int(noted["recorder_origin"][by])
            sides = (
                party(tile, 1, int(words[at]), int(noted["slot_origin"][t][at])),
                party(tile, 1, *recorder),
            )
            rule = rule_of(SWALLOWED)
            where = rule.place(tile, int(at))
            message = f"thread {t} {rule.message.format(where=where)}"
            yield found_by(rule, message, where, int(tile.state.s.clock), sides)
