"""Which barriers and pairs of flags a kernel could do without.

Each is left out of a run, all its calls at once, and the run compared with the kernel's own: what
is redundant leaves no finding, no deadlock and no other answer of the host's check, in every order
that is tried.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tilelab.pto.cluster import Chooser
from tilelab.pto.errors import Finding
from tilelab.pto.native import machine as mc
from tilelab.pto.native.build import Built
from tilelab.pto.native.checker import Place, Site
from tilelab.pto.native.program import DROP
from tilelab.pto.native.run import Options, Outcome, run


def groups(outcome: Outcome) -> Iterator[list[Site]]:
    """What goes out together: a line's barriers; set_flags and the wait_flags that took them."""
    joined: dict[Site, set[Site]] = {}
    lines: dict[tuple[int, str], Site] = {}
    for site, place in outcome.sites.items():
        if place.kind not in (mc.SET_FLAG, mc.WAIT_FLAG, mc.BARRIER):
            continue
        joined.setdefault(site, {site})
        _join(joined, site, lines.setdefault((place.kind, place.line), site))
    for one, two in outcome.pairs:
        _join(joined, one, two)
    yield from (sorted(group) for group in {id(group): group for group in joined.values()}.values())


def _join(joined: dict[Site, set[Site]], one: Site, two: Site) -> None:
    both = joined.setdefault(one, {one}) | joined.setdefault(two, {two})
    for site in both:
        joined[site] = both


def redundant(
    built: Built,
    options: Options,
    orders: Sequence[Callable[[], Chooser]],
    time: Callable[[Outcome], float] | None = None,
) -> list[Finding]:
    """A finding (H18) for each group that nothing misses; none where the kernel itself fails.

    ``time``: the cycles of a traced run; then each finding says what leaving it out gains.
    """
    traced = replace(options, trace=True)
    options = replace(options, trace=False)
    original = run(built, replace(options, survey=True), orders[0]())
    if original.error is not None:
        return []
    known = {finding.message for finding in original.findings}
    total = time(run(built, traced, orders[0]())) if time else 0
    found = []
    for group in groups(original):
        without = replace(options, changes=dict.fromkeys(group, DROP))
        if all(_silent(run(built, without, order()), original, known) for order in orders):
            changed = replace(traced, changes=without.changes)
            gain = total - time(run(built, changed, orders[0]())) if time else 0
            found.append(_finding([original.sites[site] for site in group], gain, total))
    return found


def _silent(outcome: Outcome, original: Outcome, known: set[str]) -> bool:
    new = any(finding.message not in known for finding in outcome.findings)
    return outcome.error is None and not new and outcome.status == original.status


def _finding(places: list[Place], gain: float, total: float) -> Finding:
    texts = {f"{place.line}: {place.text}": place for place in places}
    many = "orders" if len(texts) == 1 else "order"
    text = f"{' and '.join(sorted(texts))} {many} nothing that is not ordered without (H18)"
    text += f"; without, {gain:,.0f} cycles less ({gain / total:.1%})" if total else ""
    return Finding("H18", "redundant", text)
