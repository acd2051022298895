"""The generated parts of vendor-tests.md: what became of the vendor's tests on each chip."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
RAN_ON = ("blackhole", "wormhole")
NOT_RUN = ("does not build", "before any kernel")


def _vendor_tests(chip: str, sample: str = "tests") -> dict[str, dict[str, int]]:
    path = DATA / f"vendor_{sample}_{chip}.json"
    found: dict[str, dict[str, int]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def vendor_summary(chip: str, sample: str = "tests") -> Iterator[str]:
    """Yield how many variants of the vendor's tests had each outcome on a chip."""
    tests = _vendor_tests(chip, sample)
    total: Counter[str] = sum((Counter(f) for f in tests.values()), Counter())
    ran = sum(n for outcome, n in total.items() if _runs(outcome))
    rate = total["passed"] / ran
    some = [sum(n for o, n in f.items() if _runs(o)) for f in tests.values()]
    functions, several = sum(n > 0 for n in some), sum(n > 1 for n in some)
    yield (
        f"Of {ran} variants that build and run, {total['passed']} pass: {rate:.1%}. "
        f"They are of {functions} functions, of {several} of these two or more."
    )
    yield ""
    yield "| outcome | variants | functions |"
    yield "|---|---|---|"
    for outcome, count in sorted(total.items(), key=lambda item: (-item[1], item[0])):
        functions = sum(outcome in f for f in tests.values())
        yield f"| {outcome} | {count} | {functions} |"


def _runs(outcome: str) -> bool:
    """Whether a variant with this outcome was built and run."""
    return outcome != "skipped" and not any(why in outcome for why in NOT_RUN)


def vendor_functions(chip: str) -> Iterator[str]:
    """Yield each function of the vendor's tests of which a variant ran on a chip."""
    yield "| function | passed | skipped | failed |"
    yield "|---|---|---|---|"
    without: Counter[str] = Counter()
    for name, outcomes in _vendor_tests(chip).items():
        if not any(map(_runs, outcomes)):
            without[name.partition("::")[0]] += 1
            continue
        others = [f"{n} {o}" for o, n in outcomes.items() if o not in ("passed", "skipped")]
        yield (
            f"| `{name}` | {outcomes.get('passed', 0)} | {outcomes.get('skipped', 0)} |"
            f" {'; '.join(others)} |"
        )
    yield ""
    total = without.total()
    yield f"Of {total} more functions no variant ran: those tried do not build, or were skipped."


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    f"{part}-{chip}": partial(lines, chip)
    for chip in RAN_ON
    for part, lines in (
        ("vendor-summary", vendor_summary),
        ("vendor-functions", vendor_functions),
        ("vendor-fresh", partial(vendor_summary, sample="fresh")),
    )
}
