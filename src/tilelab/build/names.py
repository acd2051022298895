"""The vendor's names of headers that kernels include, and which of ours stands for each."""

import json
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from tilelab.sim.texts import paragraphs

COMPUTE_API: Final = Path(__file__).with_name("compute_names.json")
"""Each name of the vendor's compute API, its header, and whether our headers have it."""

_VECTORS_UNNAMED: Final = ("eltwise_unary/eltwise_unary", "eltwise_binary_sfpu")
"""In older kernels these headers bring the vector unit's types without their namespace."""
_NEWER: Final = {"compute_kernel_api": "compute", "debug": "debug", "dataflow_api": "dataflow"}
"""Under ``api`` newer kernels have what lies in these, or is called so."""


def _newer(name: str) -> str | None:
    folder = _NEWER.get(name.partition("/")[0])
    if folder is None:
        return None
    if name.startswith("api/"):
        return None
    return f"api/{folder}/{name.partition('/')[2] or name}"


def _absent() -> dict[str, str]:
    """By header of the compute API, a text whose functions say when called that we lack them."""
    texts: defaultdict[str, str] = defaultdict(str)
    rows = json.loads(COMPUTE_API.read_text(encoding="utf-8"))["names"]
    for name, (header, ours) in rows.items():
        texts[f"api/compute/{header}"] += "" if ours else f"TILELAB_ABSENT({name})\n"
    return texts


@cache
def forwarding() -> Mapping[str, str]:
    """The text of each header by its name: it includes ours, and says what those lack."""
    absent = _absent()
    found = dict.fromkeys(absent, "#pragma once\n#include <tilelab/compute_kernel.h>\n")
    for ours, *names in paragraphs(__package__, "header_names.txt"):
        needed = ("compute_kernel", "print") if ours == "print" else (ours,)
        text = "#pragma once\n" + "".join(f"#include <tilelab/{one}.h>\n" for one in needed)
        for name in names:
            for each in (name, _newer(name)):
                if each is not None:
                    found[each if each.endswith(".hpp") else f"{each}.h"] = text
    for name in _VECTORS_UNNAMED:
        found[f"compute_kernel_api/{name}.h"] += "#include <tilelab/older.h>\n"
    for name, functions in absent.items():
        found[name] += f"#include <tilelab/absent.h>\n{functions}" if functions else ""
    return MappingProxyType(found)
