"""Findings as people and programs read them: both parties, where they come from, and the cure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tilelab.check import shadow
from tilelab.check.engine import CheckedTile
from tilelab.check.rules import Rule
from tilelab.check.waits import WaitGraph
from tilelab.sim.checks import CHECKS, Check
from tilelab.sim.errors import DeadlockError, MachineError
from tilelab.tensix.report.explain import describe_origin
from tilelab.tensix.tables.figures import SHORT_PIPE
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.words.assembly import disassemble
from tilelab.tensix.words.origin import CORE_NAMES, pushed_at, pusher

PIPE_NAMES = (
    "scalar unit",
    "unpacker 0",
    "unpacker 1",
    *("packer 0", "packer 1", "packer 2", "packer 3"),
    "matrix unit",
    "vector unit",
    "configuration unit",
    "mover",
    "frontend",
)
"""The pipelines of ``cycle.figures``, in their order."""
assert len(PIPE_NAMES) == SHORT_PIPE + 1


@dataclass(frozen=True)
class Party:
    """One side of a finding: who, with which word, from where."""

    actor: str
    thread: int | None
    word: int | None
    assembly: str
    origin: str
    """Who pushed the word and through which expanders it came, with the source line."""
    line: str
    """The author's source line, ``kernel.cpp:31``, the innermost one; "" if unknown."""
    called_at: tuple[str, ...] = ()
    """From which of the author's lines that was called, if it was inlined; the innermost first."""
    issue: int | None = None
    """Which of its thread's words it is, from 0 on; None for a core, or if that is not known."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        word = None if self.word is None else f"{self.word:#010x}"
        texts = {name: getattr(self, name) or None for name in ("assembly", "origin", "line")}
        return {**vars(self), "word": word, **texts, "called_at": list(self.called_at)}

    def __str__(self) -> str:
        what = f"{self.assembly}  " if self.assembly else ""
        where = f"{self.line}{self.called}: {self.origin}" if self.called_at else self.origin
        return f"{what}[{self.actor}] {where}".rstrip()

    @property
    def called(self) -> str:
        """``, called at kernel.cpp:24``, and so on outwards; "" if its line is not inlined."""
        return "".join(f", called at {line}" for line in self.called_at)

    @property
    def place(self) -> str:
        """What stays the same from run to run of where it is."""
        return f"{self.line}{self.called}" or self.origin


@dataclass(frozen=True)
class Finding:
    """One thing that a program did wrong, or that nothing keeps from going wrong."""

    check: str
    category: str
    message: str
    where: str
    cycle: int
    count: int = 1
    parties: tuple[Party, ...] = ()
    relation: str = ""
    """What the second party did."""
    told_by: Party | None = None
    """What let the first party go on: the other's last post, push or pop since it acted."""
    page: str = ""
    cure: str = ""
    detail: tuple[str, ...] = field(default=())
    graph: WaitGraph | None = None
    """Of a program that got stuck: who waits for whom."""
    tiles: tuple[Place, ...] = ()
    """On a chip: the tiles on which it was found."""

    @property
    def identity(self) -> tuple[str, ...]:
        """What stays the same from run to run: the check and the parties' places."""
        return (self.check, *(party.place for party in self.parties))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        made = {name: value for name, value in vars(self).items() if name != "relation"}
        made["parties"] = [party.as_dict() for party in self.parties]
        for name in ("told_by", "graph"):
            made[name] = made[name] and made[name].as_dict()
        made["detail"], made["tiles"] = list(self.detail), [list(place) for place in self.tiles]
        return made

    @property
    def at(self) -> str:
        """On a chip: which tile, and how many more, with a colon; else ""."""
        if not self.tiles:
            return ""
        (x, y), more = self.tiles[0], len(self.tiles) - 1
        others = f" and {more} more tile{'s' if more > 1 else ''}" if more else ""
        return f"tile {x},{y}{others}: "

    def lines(self) -> Iterator[str]:
        """The finding as text."""
        times = f", {self.count}x" if self.count > 1 else ""
        yield f"{self.check}: {self.at}{self.message} (cycle {self.cycle}{times})"
        for number, party in enumerate(self.parties):
            yield f"  {'other ' if number else 'this  '} {party}"
        if self.relation and len(self.parties) > 1:
            yield f"  that one {self.relation}"
        if self.told_by:
            yield f"  told by {self.told_by}"
        yield from (f"  {line}" for line in self.detail)
        if self.page:
            yield f"  manual {self.page}"
        if self.cure:
            yield f"  cure   {self.cure}"


# ------------------------------------------------------------------ parties


def actor_of(mark: int) -> tuple[str, int | None]:
    """Who a mark is of, and which thread."""
    actor = mark & shadow.ACTOR_MASK
    if actor == shadow.OTHER_ACTOR:
        return "another tile", None
    if actor >> 2 == shadow.STORE_PIPE:
        return CORE_NAMES[actor & 3], None
    if actor > shadow.HOST_MARK:
        does = "read" if actor >> 2 == shadow.NOC_READ_PIPE else "write"
        return f"NoC {actor & 1} {'atomic' if actor & 2 else does}", None
    if actor == shadow.HOST_MARK:
        return "host", None
    if actor >= shadow.CORE_ACTOR:
        return CORE_NAMES[actor - shadow.CORE_ACTOR], None
    return f"{PIPE_NAMES[actor >> 2]}, thread {actor & 3}", actor & 3


def party(tile: CheckedTile, mark: int, word: int, origin: int, issue: int = 0) -> Party:
    """One side of a finding, from what the shadow notes; ``issue`` counts from 1."""
    actor, thread = actor_of(mark)
    if mark == 1:  # noted by its word alone
        actor, thread = "frontend", None
    known = origin != 0
    line, *called_at = tile.sources.stack(pusher(origin), pushed_at(origin)) if known else ("",)
    return Party(
        actor=actor,
        thread=thread,
        word=word if thread is not None or word else None,
        assembly=disassemble(word, tile.arch.name) if word else "",
        origin=describe_origin(origin, tile.sources.describe_pc) if known else "",
        line=line,
        called_at=tuple(called_at),
        issue=issue - 1 if issue and thread is not None else None,
    )


def word_at(tile: CheckedTile, epoch: int) -> tuple[int, ...]:
    """A thread's word and its origin, as far back as they are known; else ()."""
    c = tile.engine.shadow
    if not epoch or int(c["now"]) - epoch >= shadow.LOG:
        return ()
    at = epoch & (shadow.LOG - 1)
    return int(c["log_word"][at]), int(c["log_origin"][at])


def act_of(noted: Any) -> tuple[int, ...]:
    """An act as the shadow notes it: mark, word and origin; () if there is none."""
    return tuple(int(noted[part]) for part in ("mark", "word", "origin")) if noted["mark"] else ()


def acted(tile: CheckedTile, noted: Any) -> Party | None:
    """The side that has acted so; None if nobody has."""
    return party(tile, *act) if (act := act_of(noted)) else None


def findings(tile: CheckedTile, apart: bool = False) -> list[Finding]:
    """What the checker has found so far, in the order of the first time; ``apart``: not merged."""
    noted = tile.engine.shadow
    made = [_finding(tile, noted["finding"][i]) for i in range(int(noted["found"]))]
    return made if apart else list(merged(made))


def merged(made: list[Finding]) -> Iterator[Finding]:
    """One finding for each check and pair of source lines: a loop that is unrolled is one place."""
    places = [
        finding.identity if all(party.line for party in finding.parties) else (number,)
        for number, finding in enumerate(made)
    ]
    counts: dict[tuple[object, ...], int] = {}
    for place, finding in zip(places, made, strict=True):
        counts[place] = counts.get(place, 0) + finding.count
    for number, (place, finding) in enumerate(zip(places, made, strict=True)):
        if place not in places[:number]:
            yield replace(finding, count=counts[place])


def _finding(tile: CheckedTile, noted: Any) -> Finding:
    rule = rule_of(int(noted["rule"]))
    place = rule.place(tile, int(noted["value"]))
    sides = [
        party(tile, *(int(noted[prefix + name]) for name in ("mark", "word", "origin", "issue")))
        for prefix in ("", "other_")
        if noted[prefix + "mark"] or not prefix
    ]
    message = f"{sides[0].actor} {rule.message.format(where=place)}"
    made = found_by(rule, message, place, int(noted["clock"]), sides)
    last = party(tile, *(int(noted["let_on_" + name]) for name in ("mark", "word", "origin")))
    new = noted["let_on_mark"] and all(last.origin != side.origin for side in sides)
    return replace(made, count=int(noted["count"]), told_by=last if new else None)


def rule_of(code: int) -> Rule:
    """A rule by its code."""
    rule = CHECKS[code]
    assert isinstance(rule, Rule)
    return rule


def found_by(
    rule: Rule, message: str, place: str, clock: int, sides: Iterable[Party | None]
) -> Finding:
    """What a rule has found once; sides that are not known are left out."""
    return Finding(
        check=rule.name,
        category=rule.category.category,
        message=message,
        where=place,
        cycle=clock,
        parties=tuple(side for side in sides if side is not None),
        relation=rule.other,
        page=rule.page,
        cure=rule.cure,
    )


def at_end(
    tile: CheckedTile, code: int, where: str, sides: Iterable[Party | None], who: str = ""
) -> Finding:
    """What a rule has found when the program has ended; ``who`` did it, if its message is so."""
    rule = rule_of(code)
    message = f"{who} {rule.message.format(where=where)}".lstrip()
    return found_by(rule, message, where, int(tile.state.s.clock), sides)


def machine_finding(tile: CheckedTile, error: MachineError, check: Check | None) -> Finding:
    """A failed check of the machine itself, or a deadlock, as a finding."""
    engine = tile.state.s.engine
    origin = int(engine.fault_origin)
    sides: tuple[Party, ...] = ()
    if check is not None:
        word = int(engine.fault_word)
        thread = int(engine.fault_thread)
        actor = f"thread {thread}" if thread >= 0 else CORE_NAMES.get(pusher(origin), "host")
        made = party(tile, 0, word if thread >= 0 else 0, origin)
        sides = (replace(made, actor=actor, thread=thread if thread >= 0 else None, word=word),)
    name = check.name if check else "deadlock" if isinstance(error, DeadlockError) else "limit"
    return Finding(
        check=name,
        category=error.category,
        message=error.summary,
        where="",
        cycle=int(tile.state.s.clock),
        parties=sides,
        page=check.page if check else "",
        cure=check.cure if check else "",
        detail=tuple(line.removeprefix("  ") for line in error.detail.splitlines())
        if check is None
        else (),
    )
