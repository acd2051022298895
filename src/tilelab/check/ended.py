"""What is left when a program has ended: NoC requests, and words that were only recorded."""

from collections.abc import Iterator
from itertools import product

from tilelab.check import shadow
from tilelab.check.engine import CheckedTile
from tilelab.check.findings import Finding, at_end, party, rule_of
from tilelab.check.replays import PLAYERS, SHORT_TAIL, SWALLOWED, SYNCHRONISE, UNPLAYED
from tilelab.check.rules import NOC_LEFT
from tilelab.tensix.chips.opcodes import INCRWC, SETRWC, STALLWAIT
from tilelab.tensix.state.layout import CORES, THREADS
from tilelab.tensix.tables.noc_registers import NIUS
from tilelab.tensix.words.origin import CORE_NAMES, push_site

ANSWERED = (shadow.NOC_READ_PIPE, shadow.NOC_LAND_PIPE)
"""The actors whose acts a core learns of by a read's answers, by a write's acknowledgements."""
CUT_OFF = (STALLWAIT, SETRWC, INCRWC)
"""What those behind it rely on: it tells if one ends a recording and is never played."""
ATOMICS = 2
"""The third kind of request, of which it is only known whether anybody has looked for answers."""


def outstanding(tile: CheckedTile) -> Iterator[tuple[int, int, int, int, int]]:
    """Each core's last read, write and atomic on each interface that no core has waited for.

    Which of the three, the core, the actor, the epoch and the origin.
    """
    noted = tile.engine.shadow
    for kind, niu, core in product(range(3), range(NIUS), range(CORES)):
        actor = ANSWERED[min(kind, 1)] * 4 + niu
        if kind == ATOMICS:
            last, known = int(noted["atomic_last"][niu, core]), int(noted["atomic_seen"][niu])
        else:
            last = int(noted["noc_last"][kind, niu, core])
            rows = range(THREADS, shadow.KNOWERS)
            known = max(int(noted["known"]["of"][row][actor]) for row in rows)
        if last > known and int(noted["noc_now"]) - last < shadow.NOC_LOG:
            origin = int(noted["noc_origin"][last & (shadow.NOC_LOG - 1)])
            yield kind, core, actor, last, origin


def left_outstanding(tile: CheckedTile) -> Iterator[Finding]:
    """What a program that has ended has asked of the NoC and not waited for.

    A request that another finding is about already is left out.
    """
    if tile.is_off(NOC_LEFT):
        return
    noted = tile.engine.shadow
    said = {int(f["other_origin"]) for f in noted["finding"][: int(noted["found"])]}
    for kind, core, actor, last, origin in outstanding(tile):
        if origin in said:
            continue
        side = party(tile, last << shadow.EPOCH_SHIFT | actor, 0, origin)
        where = rule_of(NOC_LEFT).place(tile, kind)
        yield at_end(tile, NOC_LEFT, where, (side,), CORE_NAMES[core])


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
            cut_off = opcode in CUT_OFF and ends and len(tail) < len(mine)
            if opcode not in SYNCHRONISE and not cut_off:
                continue
            by = int(owner[at]) & (PLAYERS - 1)
            recorder = int(noted["recorder_word"][by]), int(noted["recorder_origin"][by])
            sides = (
                party(tile, 1, int(words[at]), int(noted["slot_origin"][t][at])),
                party(tile, 1, *recorder),
            )
            where = rule_of(SWALLOWED).place(tile, int(at))
            yield at_end(tile, SWALLOWED, where, sides, f"thread {t}")


def unplayed(tile: CheckedTile) -> Iterator[Finding]:
    """Recordings of which no word was executed or played, but as many others; each place once."""
    noted = tile.engine.shadow
    last = int(noted["recordings"])
    if tile.is_off(UNPLAYED):
        return
    idle: dict[int, int] = {}
    used: set[int] = set()
    for number in range(max(1, last - PLAYERS + 1), last + 1):
        at = number & (PLAYERS - 1)
        site = push_site(int(noted["recorder_origin"][at]))
        idle[site] = at
        if not noted["recorder_idle"][at]:
            used.add(site)
    for site, at in idle.items():
        missed = int(noted["missed_origin"][at])
        if site not in used and missed:
            word, origin = int(noted["recorder_word"][at]), int(noted["recorder_origin"][at])
            first, length = int(noted["recorder_first"][at]), int(noted["recorder_length"][at])
            where = rule_of(UNPLAYED).place(tile, length << 5 | first)
            other = party(tile, 1, int(noted["missed_word"][at]), missed)
            sides = party(tile, 1, word, origin), other
            yield at_end(tile, UNPLAYED, where, sides, other.actor)
