"""Make the compact copy of the reference data that the repository carries.

usage: python tests/data/make_compact.py FULL_GOLDEN_FOLDER FULL_LLK_VECTORS_FOLDER

Takes some cases of every opcode and form from each file, evenly spread, with all their state; the
layout stays that of the full files. NOTICE says where the data come from.
"""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
PER_FORM = 10
KEPT_KERNELS = 4
SHARED = ("pool_", "prof_")
FAMILIES = ("seqdstvalid", "seqdst", "seqsrc", "seq", "prng", "mop", "prog_ev", "prog_out")


def family(name: str) -> str:
    """Which cases an array belongs to: sequences, MOPs, programs, or the single instructions."""
    head = next((prefix for prefix in FAMILIES if name.startswith(f"{prefix}_")), "main")
    return {"seqdst": "seq", "seqdstvalid": "seq", "seqsrc": "seq"}.get(
        head, "prog" if head.startswith("prog") else head
    )


def evenly(indices: np.ndarray[Any, Any], count: int) -> list[int]:
    """At most ``count`` of the indices, spread over all of them."""
    if len(indices) <= count:
        return list(indices)
    return [int(indices[i]) for i in np.linspace(0, len(indices) - 1, count).astype(int)]


def forms(data: dict[str, Any]) -> np.ndarray[Any, Any]:
    """What distinguishes the single instructions of a file: opcode and modifier, or mode."""
    if "op" in data:
        return data["op"].astype(np.int64) << 8 | (data["word"] & 0xF)
    if "mode" in data:
        return data["mode"].astype(np.int64)
    if "fin" in data:
        return (
            data["fin"].astype(np.int64) << 8 | data["fout"].astype(np.int64) << 4 | data["target"]
        )
    return np.zeros(len(data["word"]), np.int64)


def chosen(data: dict[str, Any], kind: str) -> list[int]:
    """The cases of one family to keep."""
    if kind == "main":
        values = forms(data)
        keep = [i for v in np.unique(values) for i in evenly(np.flatnonzero(values == v), PER_FORM)]
        return sorted(keep)
    counts = {
        "seq": len(data.get("seq_words", ())),
        "mop": len(data.get("mop_word", ())),
        "prog": len(data.get("prog_ev_off", (0,))) - 1,
        "prng": len(data.get("prng_seed", ())),
    }
    return evenly(np.arange(counts[kind]), {"mop": 250, "prog": 60}.get(kind, 30))


def compact(data: dict[str, Any]) -> dict[str, Any]:
    """Keep the chosen cases of every family."""
    if "x" in data:  # fma: independent vectors
        return {name: array[::10] for name, array in data.items()}
    out: dict[str, Any] = {}
    keep = {
        kind: chosen(data, kind) for kind in {family(n) for n in data if not n.startswith(SHARED)}
    }
    ragged = {name[:-4] for name in data if name.endswith("_off") and not name.startswith(SHARED)}
    cases = len(data.get("word", data.get("mode", ())))
    for name, array in data.items():
        owner = next(
            (p for p in sorted(ragged, key=len, reverse=True) if name.startswith(f"{p}_")), None
        )
        indices = keep.get(family(name), [])
        is_table = owner is None and family(name) == "main" and len(array) != cases
        if name.startswith(SHARED) or name.endswith("_names") or name == "prng_word" or is_table:
            out[name] = array
        elif owner is None:
            out[name] = array[indices]
        elif name.endswith("_off"):
            sizes = np.diff(array)[indices]
            out[name] = np.concatenate([[0], np.cumsum(sizes)]).astype(array.dtype)
        else:
            offsets = data[f"{owner}_off"]
            parts = [array[offsets[i] : offsets[i + 1]] for i in indices]
            out[name] = np.concatenate(parts) if parts else array[:0]
    return out


def main() -> None:
    """Write tests/data/golden and tests/data/llk."""
    golden, llk = Path(sys.argv[1]), Path(sys.argv[2])
    target = HERE / "golden"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for path in sorted(golden.glob("*.npz")):
        with np.load(path, allow_pickle=False) as full:
            data = {name: full[name] for name in full.files}
        kept = compact(data)
        np.savez_compressed(target / path.name, **kept)
    target = HERE / "llk"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    index = json.loads((llk / "INDEX.json").read_text())
    replayable = [entry for entry in index if entry["replay"]]
    size = {
        e["slug"]: sum(p.stat().st_size for p in (llk / e["slug"]).iterdir()) for e in replayable
    }
    kept_entries = sorted(replayable, key=lambda entry: size[entry["slug"]])[:KEPT_KERNELS]
    for entry in kept_entries:
        shutil.copytree(llk / entry["slug"], target / entry["slug"])
    (target / "INDEX.json").write_text(json.dumps(kept_entries, indent=1) + "\n")


if __name__ == "__main__":
    main()
