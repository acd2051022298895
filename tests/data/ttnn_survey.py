"""Condense what tests/chip/ttnn_survey.py wrote of a chip into tests/data/ttnn_survey.json.

usage: python tests/data/ttnn_survey.py CHIP RESULTS.jsonl CASES

Of one case the last line counts. CASES: how many there are (``ttnn_survey.py --list | wc -l``).
"""

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

CHIPS = ("blackhole", "wormhole")
TARGET = Path(__file__).with_suffix(".json")


def condense(lines: list[str]) -> dict[str, dict[str, int]]:
    """How many cases of each type had each verdict."""
    latest = {item["case"]: item["verdict"] for item in map(json.loads, lines)}
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for case, verdict in latest.items():
        table[case.split()[1]][verdict] += 1
    return {kind: dict(sorted(table[kind].items())) for kind in sorted(table)}


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in CHIPS:
        sys.exit(__doc__)
    found = json.loads(TARGET.read_text(encoding="utf-8")) if TARGET.exists() else {}
    lines = Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()
    found[sys.argv[1]] = {"of": int(sys.argv[3]), "types": condense(lines)}
    TARGET.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
