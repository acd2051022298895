"""Condense what ``--tilelab-results`` recorded into tests/data/vendor_tests_CHIP.json.

usage: python tests/data/vendor_tests.py [--fresh] CHIP RESULTS.jsonl…

Of one variant the last file counts. ``--fresh``: into vendor_fresh_CHIP.json, the newest sample.

Per test function: how many variants had each outcome, and why those that failed did. Variants
that the tests skip themselves are counted apart; tests that start no kernel are left out.
"""

import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

CHIPS = ("blackhole", "wormhole")
CHECK = re.compile(r"^  check  (\S+)", re.M)
TOO_MANY_VALUES = re.compile(r"vector values are needed at once|values alive here come from")


def cause(result: dict[str, Any]) -> str:
    """Why a variant failed, in few words; "" if it did not."""
    message = result["message"]
    if result["error"] in ("", "Skipped"):
        return ""
    if check := CHECK.search(message):
        return f"check {check[1]}"
    if message.startswith("Command:"):
        return f"does not build: {build_error(message)}"
    if not result["kernels"]:
        return f"before any kernel: {result['error']}"
    return str(result["error"])


def build_error(message: str) -> str:
    """Why the compiler or the linker failed."""
    if "fatal error: " in message:
        return "no such header"
    return "more than eight vector values" if TOO_MANY_VALUES.search(message) else "other"


def condense(results: list[dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Count (outcome, cause) for each test function."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        why = cause(result)
        if result["outcome"] == "passed" and not result["kernels"]:
            continue
        outcome = result["outcome"] if result["outcome"] != "failed" else why
        if result["outcome"] == "skipped" and why:
            outcome = f"expected to fail: {why}"
        table[result["test"].partition("[")[0]][outcome] += 1
    return {name: dict(sorted(table[name].items())) for name in sorted(table)}


if __name__ == "__main__":
    latest = {}
    fresh = sys.argv[1:2] == ["--fresh"]
    chip, *paths = sys.argv[1 + fresh :] or [""]
    if chip not in CHIPS or not paths:
        sys.exit(__doc__)
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            item = json.loads(line)
            latest[item["test"]] = item
    name = f"vendor_{'fresh' if fresh else 'tests'}_{chip}.json"
    target = Path(__file__).with_name(name)
    target.write_text(json.dumps(condense(list(latest.values())), indent=1) + "\n", "utf-8")
