"""From a compiler's assembly to assembly without vector operations left open."""

from collections.abc import Callable, Mapping
from pathlib import Path

from tilelab.build.vector.code import LREGS, RAW, Function, Op, VectorError
from tilelab.build.vector.colour import Graph
from tilelab.build.vector.conditions import lower_conditions
from tilelab.build.vector.configured import programmable_constants
from tilelab.build.vector.constraints import add_copies, split_constants
from tilelab.build.vector.emit import Writer
from tilelab.build.vector.fill import fill
from tilelab.build.vector.indices import words_keep_nothing
from tilelab.build.vector.liveness import (
    Interference,
    callers_leave_nothing,
    given_away,
    live_out,
    replays_set,
)
from tilelab.build.vector.recompute import recompute
from tilelab.build.vector.reorder import make_room
from tilelab.build.vector.simplify import drop_unread, simplify, words_in_all_lanes
from tilelab.build.vector.sink import sink
from tilelab.build.vector.text import FLOAT, MARK, Reader, file_names, find_functions
from tilelab.build.vector.values import forward_copies, number_values
from tilelab.tensix.arch import arch as arch_named

ATTEMPTS = [(False, False), (True, False), (True, True), (False, True)]
"""Whether constants are loaded where they are used, and whether copies are merged with care."""
STILL = {"blackhole": 7, "wormhole": 3}
"""ADDR_MOD of ``dst_reg``: the vendor's interface has Dst's counter stay."""
AGAIN = 16
"""How many values may be computed again, one after the other."""
MOVES = 16
"""How many times operations may be moved before that, one for each place where it is crowded."""


def complete(text: str, arch: str, source: Path | None) -> str:
    """Give every vector value of an assembly text its LReg; ``source`` is what messages name.

    Without a source, they name the innermost file of whatever is inlined.

    VectorError for a function that needs more than eight LRegs or is not understood; FloatError for
    one, with or without vectors, that computes with floating-point numbers of the core's own.
    """
    rows = arch_named(arch).instructions
    lines = text.splitlines()
    names = file_names(lines)
    out, at = [], 0
    for first, last, name in find_functions(lines):
        body = lines[first:last]
        if any(MARK in line for line in body):
            out += lines[at:first] + complete_function(body, name, arch, source, names)
            at = last
        elif any(FLOAT.search(line) for line in body):
            Reader(body, name, source, rows, names).read()
    return "\n".join([*out, *lines[at:]]) + "\n"


def complete_function(
    lines: list[str], name: str, arch: str, source: Path | None, names: Mapping[str, str]
) -> list[str]:
    """The lines of one function, completed."""
    rows = arch_named(arch).instructions
    function = Reader(lines, name, source, rows, names).read()
    prepare(function, arch)
    return Writer(rows, arch, allocate(function)).write(function)


def prepare(function: Function, arch: str) -> None:
    """Everything before registers are given."""
    function.still = STILL[arch]
    number_values(function)
    forward_copies(function)
    lower_conditions(function, arch)
    words_in_all_lanes(function)
    programmable_constants(function)
    simplify(function, arch)


def allocate(function: Function) -> dict[int, int]:
    """Give every value an LReg; the function is changed to fit.

    What the source's own words leave in an LReg is kept for its later words, also over a replay,
    of which is not known what it sets. Where that leaves too few, these give way, one after the
    other: what was in an LReg before the function; a replay is taken to set what is read after it;
    and where the words have LReg[4..7] hold indices, nothing is kept for them alone.
    The vendor's compiler keeps nothing for such words anywhere.
    """
    kept = given_away(function)
    ways: list[Callable[[Function, set[int]], None]] = [_as_it_is]
    ways += [callers_leave_nothing] if any(op.name == RAW for op in function.ops()) else []
    ways += [replays_set] if any(op.runs_others for op in function.ops()) else []
    ways += [words_keep_nothing] if any(op.indexes for op in function.ops()) else []
    first = None
    given_up = function.copy()
    for way in ways:
        way(given_up, kept)
        trial = given_up.copy()
        try:
            colours = _allocated(trial, kept)
        except VectorError as error:
            first = first or error
        else:
            function.blocks, function.values = trial.blocks, trial.values
            return colours
    assert first is not None
    raise first


def _as_it_is(_function: Function, _kept: set[int]) -> None:
    """Keep all that the source's words may need."""


def _allocated(function: Function, kept: set[int]) -> dict[int, int]:
    first_new = function.values
    for again in range(AGAIN):
        colours, tightest = _attempts(function, kept, late=False)
        if colours is None and not again:
            colours, tightest = _attempts(function, kept, late=True)
        if colours is not None:
            return colours
        _, op, alive = tightest.most
        assert op is not None
        if not recompute(function, alive, op.reads | op.writes, first_new):
            break
    raise _too_many(tightest)


def _attempts(
    function: Function, kept: set[int], late: bool
) -> tuple[dict[int, int] | None, Interference]:
    """The LRegs, if one of the attempts finds them; and what the least crowded of them had.

    ``late``: with operations where they are needed, not where the compiler has put them. What has
    its LRegs gets them anew with operations moved to where others would wait, if there are enough.
    """
    seen: list[Interference] = []
    for everywhere, careful in ATTEMPTS:
        trial = function.copy()
        if late:
            sink(trial, kept)
        split_constants(trial, everywhere)
        drop_unread(trial)
        add_copies(trial, kept)
        drop_unread(trial)
        busier = trial.copy()
        colours = _coloured(trial, kept, careful, seen)
        if colours is None:
            continue
        if fill(busier) and (better := _coloured(busier, kept, careful, seen)) is not None:
            trial, colours = busier, better
        function.blocks = trial.blocks
        return colours, seen[-1]
    return None, min(seen, key=lambda each: each.most[0])


def _coloured(
    trial: Function, kept: set[int], careful: bool, seen: list[Interference]
) -> dict[int, int] | None:
    """The LRegs of a trial, with operations moved forward where that is needed; all that it saw."""
    settled: set[Op] = set()
    for _ in range(MOVES):
        interference = Interference(trial, kept)
        seen.append(interference)
        graph = Graph(interference)
        graph.merge(interference.copies, careful)
        count = interference.most[0]
        if (colours := graph.colour(thorough=count <= LREGS + 1)) is not None:
            return colours
        ends = live_out(trial, kept)
        if not [run for run in interference.crowded if make_room(trial, run, ends, settled)]:
            break
    return None


def _too_many(interference: Interference) -> VectorError:
    count, op, alive = interference.most
    assert op is not None
    since = sorted(
        {
            str(interference.places[r].place)
            for r in alive
            if r in interference.places and r >= LREGS
        }
    )
    said = f"{count} vector values are needed at once, and there are {LREGS} LRegs"
    taken = op.clobbers | {r for r in op.writes if r < LREGS}
    if len(taken) > 1:
        across = sum(r >= LREGS and r not in op.writes for r in alive)
        said = (
            f"{across} vector value(s) are needed after this, which uses {len(taken)} LRegs itself"
        )
    return VectorError(
        op.place,
        said,
        "values alive here come from:\n" + "\n".join(f"  {place}" for place in since),
    )
