"""Findings as people and programs read them: both parties, where they come from, and the cure."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tilelab.check import shadow
from tilelab.check.engine import CheckedTile
from tilelab.check.rules import RULES, Rule
from tilelab.check.waits import WaitGraph
from tilelab.sim.checks import Check
from tilelab.sim.errors import DeadlockError, MachineError
from tilelab.tensix.report.explain import SEMAPHORE_NAMES, describe_origin
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
L1_RULES = (
    *("uninit-l1", "race-l1", "l1-code-overwritten"),
    *("noc-read-unwaited", "noc-write-unflushed"),
)
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
    """The author's source line, ``kernel.cpp:31``; "" if unknown."""
    issue: int | None = None
    """Which of its thread's words it is, from 0 on; None for a core, or if that is not known."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "actor": self.actor,
            "thread": self.thread,
            "word": None if self.word is None else f"{self.word:#010x}",
            "assembly": self.assembly or None,
            "origin": self.origin or None,
            "line": self.line or None,
            "issue": self.issue,
        }

    def __str__(self) -> str:
        what = f"{self.assembly}  " if self.assembly else ""
        return f"{what}[{self.actor}] {self.origin}".rstrip()


@dataclass(frozen=True)
class Finding:
    """One thing that a program did wrong, or that nothing keeps from going wrong."""

    check: str
    category: str
    message: str
    where: str
    cycle: int
    count: int
    parties: tuple[Party, ...]
    relation: str
    """What the second party did."""
    page: str
    cure: str
    detail: tuple[str, ...] = field(default=())
    graph: WaitGraph | None = None
    """Of a program that got stuck: who waits for whom."""
    tiles: tuple[Place, ...] = ()
    """On a chip: the tiles on which it was found."""

    @property
    def identity(self) -> tuple[str, ...]:
        """What stays the same from run to run: the check and the parties' places."""
        return (self.check, *(party.line or party.origin for party in self.parties))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "check": self.check,
            "category": self.category,
            "message": self.message,
            "where": self.where,
            "cycle": self.cycle,
            "count": self.count,
            "parties": [party.as_dict() for party in self.parties],
            "page": self.page,
            "cure": self.cure,
            "detail": list(self.detail),
            "graph": None if self.graph is None else self.graph.as_dict(),
            "tiles": [list(place) for place in self.tiles],
        }

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
        yield from (f"  {line}" for line in self.detail)
        if self.page:
            yield f"  manual {self.page}"
        if self.cure:
            yield f"  cure   {self.cure}"


# ------------------------------------------------------------------ what is touched


def cell_name(cell: int) -> str:
    """What a watched cell is, in words."""
    if cell < shadow.SRC:
        return f"Dst row {cell}"
    if cell < shadow.GPR:
        at = cell - shadow.SRC
        name = ("SrcA", "SrcB")[at >> shadow.SRC_SHIFT]
        return f"{name} bank {at >> 6 & 1}, row {at & 63}"
    if cell < shadow.CONFIG:
        at = cell - shadow.GPR
        return f"GPR {at & 63} of thread {at >> 6}"
    if cell < shadow.THREAD_CONFIG:
        at = cell - shadow.CONFIG
        return f"Config[{at >> 8}][{at & 255}]"
    thread, word = divmod(cell - shadow.THREAD_CONFIG, 72)
    return f"ThreadConfig[{thread}][{word}]"


def config_name(tile: CheckedTile, cell: int) -> str:
    """A configuration word with the names of its fields."""
    at = cell - shadow.CONFIG
    word = at & 255 if cell < shadow.THREAD_CONFIG else (cell - shadow.THREAD_CONFIG) % 72
    space = "t" if cell >= shadow.THREAD_CONFIG else "c"
    fields = tile.arch.config_fields.items()
    names = [name for name, one in fields if one.word == word and one.space == space]
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return f"{cell_name(cell)} ({shown})" if shown else cell_name(cell)


def l1_name(address: int) -> str:
    """A watched piece of L1."""
    return f"L1 {address:#x}…{address + 15:#x}"


def kind_name(tile: CheckedTile, address: int) -> str:
    """What a piece of L1 is for, beside programs."""
    kind = int(tile.engine.l1_shadow["shadow_kind"][address >> shadow.GRANULE_SHIFT])
    if kind < shadow.ARRAYS:
        return "where circular buffers are counted"
    area = tile.engine.arrays[kind - shadow.ARRAYS]
    name = "an array" if area.buffer is None else f"circular buffer c_{area.buffer}"
    if tile.engine.shadow["input_kind"][kind]:
        return f"in an input of the kernel ({name} at {area.address:#x})"
    return f"in {name} at {area.address:#x}, with a tile that began elsewhere"


def where(tile: CheckedTile, rule: Rule, value: int) -> str:
    """What a finding is about."""
    if rule.name == "wrong-thread":
        return f"not for thread {value}"
    if rule.name == "l1-other-buffer":
        return f"{l1_name(value)}, {kind_name(tile, value)}"
    if rule.name in L1_RULES:
        return l1_name(value)
    if rule.name == "uninit-private":
        return f"{value:#x}"
    if rule.name == "uninit-lreg":
        return ", ".join(f"LReg[{i}]" for i in range(17) if value >> i & 1)
    if rule.name == "src-bank-turning":
        return ("SrcA", "SrcB")[value]
    if rule.name == "sfpu-latency":
        return f"LReg[{value}]"
    if rule.name == "mop-cfg-busy":
        return f"MopCfg[{value}]"
    if rule.name == "mop-mask-stale":
        return f"a MaskHi of {value:#06x}"
    if rule.name.startswith("replay"):
        return f"replay slot {value}"
    if rule.name.startswith("semaphore"):
        return f"semaphore {value} ({SEMAPHORE_NAMES[value]})"
    if rule.name.startswith("cb-"):
        number, kept = value % shadow.IN_STREAMS >> 1, value >= shadow.IN_STREAMS
        side = "acknowledged" if value & 1 else "received"
        return f"tiles {side} of c_{number}" + (f" (stream {number})" if kept else "")
    return config_name(tile, value) if value >= shadow.CONFIG else cell_name(value)


# ------------------------------------------------------------------ parties


def actor_of(mark: int) -> tuple[str, int | None]:
    """Who a mark is of, and which thread."""
    actor = mark & shadow.ACTOR_MASK
    if actor == shadow.OTHER_ACTOR:
        return "another tile", None
    if actor > shadow.HOST_MARK:
        does = "read" if actor >> 2 == shadow.NOC_READ_PIPE else "write"
        return f"NoC {actor & 3} {does}", None
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
    return Party(
        actor=actor,
        thread=thread,
        word=word if thread is not None or word else None,
        assembly=disassemble(word, tile.arch.name) if word else "",
        origin=describe_origin(origin, tile.sources.describe_pc) if known else "",
        line=tile.sources.line(pusher(origin), pushed_at(origin)) if known else "",
        issue=issue - 1 if issue and thread is not None else None,
    )


def findings(tile: CheckedTile) -> list[Finding]:
    """What the checker has found so far, in the order of the first time."""
    noted = tile.engine.shadow
    made = [_finding(tile, noted["finding"][i]) for i in range(int(noted["found"]))]
    return list(merged(made))


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
    rule = RULES[int(noted["rule"])]
    place = where(tile, rule, int(noted["value"]))
    sides = [
        party(tile, *(int(noted[prefix + name]) for name in ("mark", "word", "origin", "issue")))
        for prefix in ("", "other_")
        if noted[prefix + "mark"] or not prefix
    ]
    return Finding(
        check=rule.name,
        category=rule.category,
        message=f"{sides[0].actor} {rule.message.format(where=place)}",
        where=place,
        cycle=int(noted["clock"]),
        count=int(noted["count"]),
        parties=tuple(sides),
        relation=rule.other,
        page=rule.page,
        cure=rule.cure,
    )


def machine_finding(tile: CheckedTile, error: MachineError, check: Check | None) -> Finding:
    """A failed check of the machine itself, or a deadlock, as a finding."""
    engine = tile.state.s.engine
    origin = int(engine.fault_origin)
    sides: tuple[Party, ...] = ()
    if check is not None:
        word = int(engine.fault_word)
        thread = int(engine.fault_thread)
        actor = f"thread {thread}" if thread >= 0 else CORE_NAMES.get(pusher(origin), "host")
        text = disassemble(word, tile.arch.name) if thread >= 0 else ""
        where_from = describe_origin(origin, tile.sources.describe_pc)
        line = tile.sources.line(pusher(origin), pushed_at(origin))
        sides = (Party(actor, thread if thread >= 0 else None, word, text, where_from, line),)
    name = check.name if check else "deadlock" if isinstance(error, DeadlockError) else "limit"
    return Finding(
        check=name,
        category=error.category,
        message=error.summary,
        where="",
        cycle=int(tile.state.s.clock),
        count=1,
        parties=sides,
        relation="",
        page=check.page if check else "",
        cure=check.cure if check else "",
        detail=tuple(line.removeprefix("  ") for line in error.detail.splitlines())
        if check is None
        else (),
    )
