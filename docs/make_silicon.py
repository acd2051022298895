"""Regenerates all that the pages show of cards: the picture, the tables, and what they are made of.

python docs/make_silicon.py ROWS.tsv --raw --kernels DIR …   runs ``tilelab calibrate`` with these
python docs/make_silicon.py RESULTS.json …                   takes what its ``--json`` has given
"""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from silicon_tables import DATA, GROUPS

from tilelab.calibrate.left_out import left_out
from tilelab.calibrate.picture import picture
from tilelab.calibrate.results import label

DOCS = Path(__file__).resolve().parent
KEPT = ("id", "what", "unit", "source", "silicon", "predicted", "error", "inside", "reason")


def results(arguments: list[str]) -> list[dict[str, Any]]:
    """The rows that ``calibrate --json`` gives for these arguments, or gave into these files."""
    if all(name.endswith(".json") for name in arguments):
        texts = [Path(name).read_text(encoding="utf-8") for name in arguments]
    else:
        command = [sys.executable, "-m", "tilelab", "calibrate", *arguments, "--json"]
        texts = [subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout]
    return [row for text in texts for row in json.loads(text)["rows"]]


def kept(found: list[dict[str, Any]]) -> dict[str, Any]:
    """What the tables are made of."""
    rows: list[dict[str, Any]] = []
    raw: dict[str, list[float]] = {}
    for row in found:
        group, _, chip = label(row["group"], row["chip"]).partition(" ")
        if row["group"].endswith(" raw"):
            raw.setdefault(f"{GROUPS[group]}: {chip}", []).append(abs(row["error"]))
        elif group in GROUPS:
            own = {name: _short(row[name]) for name in KEPT}
            rows.append({"group": group, "chip": chip.replace("/", " and "), **own})
    points = {
        name: {"points": len(e), "within": sum(x <= 5 for x in e), "worst": round(max(e), 1)}
        for name, e in raw.items()
    }
    own_rows = [row for row in found if not row["group"].endswith(" raw")]
    left = [{**asdict(one), "spread": round(one.spread, 2)} for one in left_out(own_rows)]
    return {"rows": rows, "left_out": left, "raw": points}


def _short(value: Any) -> Any:
    return round(value, 3) if isinstance(value, float) else value


def lines(data: dict[str, Any]) -> str:
    """JSON with a line for each row."""
    parts = []
    for name, rows in data.items():
        items = rows if isinstance(rows, list) else [rows]
        body = ",\n".join(json.dumps(item, ensure_ascii=False) for item in items)
        parts.append(f'"{name}": ' + (f"[\n{body}\n]" if isinstance(rows, list) else body))
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> None:
    """Write the data, the picture and the tables."""
    found = results(sys.argv[1:])
    DATA.write_text(lines(kept(found)), encoding="utf-8")
    (DOCS / "pictures/silicon.svg").write_text(picture(found), encoding="utf-8")
    subprocess.run([sys.executable, str(DOCS / "make_tables.py")], check=True)


if __name__ == "__main__":
    main()
