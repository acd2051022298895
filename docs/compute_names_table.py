"""The generated part of cli/build.md: the names of the compute API, and whose headers have them."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator

from tilelab.build.names import COMPUTE_API


def names() -> Iterator[str]:
    """Yield each header with its names."""
    rows = json.loads(COMPUTE_API.read_text(encoding="utf-8"))["names"]
    there, other = defaultdict(list), defaultdict(list)
    for name, (header, ours) in rows.items():
        (there if ours else other)[header].append(f"`{name}`")
    count = sum(ours for _, ours in rows.values())
    yield f"tilelab's headers have {count} of {len(rows)}."
    yield ""
    yield "| header | there | with the vendor's headers only |"
    yield "|---|---|---|"
    for header in sorted({header for header, _ in rows.values()}):
        yield f"| `{header}` | {' '.join(there[header])} | {' '.join(other[header])} |"


PARTS: dict[str, Callable[[], Iterator[str]]] = {"compute-names": names}
