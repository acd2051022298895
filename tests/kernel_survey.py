"""Which of ttnn's own compute kernels build, with the vendor's headers or with ours, and why not.

``python -m tests.kernel_survey WHEEL [--ours] [--only TEXT] [--json FILE]``: WHEEL is the folder of
the package ``ttnn``. The list is every file below ``ttnn/cpp/ttnn/operations`` whose path fits
``*kernels*/compute/*.cpp``, without those that name Quasar, in alphabetic order.

What a kernel's host program would give it is not in the wheel, so it is guessed: every circular
buffer is placed, with bf16; every argument, by number or by name, is 1, or 1, 2, 3 and so on where
that is no good; a macro that the source lacks is 1, or what GUESSES has. A kernel for which no
guess is a good value counts as not built, under "a guess": it may build with what its host gives.
``tilelab import`` has the real values.
"""

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import build_kernel, source_kernel
from tilelab.kernels.kernel_toml.file import KernelFile, Ring
from tilelab.sim.errors import BadInputError

PLACE = "ttnn/cpp/ttnn/operations"
GUESSES = {
    **{"REDUCE_OP": "PoolType::SUM", "REDUCE_DIM": "ReduceDim::REDUCE_ROW"},
    **{"BINARY_OP": "add_tiles", "BINARY_OP_TYPE": "EltwiseBinaryType::ELWADD"},
    **{"ELTWISE_OP": "add_tiles", "ELTWISE_OP_TYPE": "EltwiseBinaryType::ELWADD"},
    **{"CHAIN_BCAST_OP": "compute_kernel_lib::BinaryFpuOp::Add"},
    **{"CHAIN_BCAST_DIM": "compute_kernel_lib::BroadcastDim::Row"},
    **{"BCAST_LLKOP": "EltwiseBinaryType::ELWADD"},
    **{"BCAST_DIM": "BroadcastType::ROW", "BINARY_SFPU_OP": "add_binary_tile"},
    **{"BINARY_SFPU_INIT": "add_binary_tile_init();", "BCAST_INPUT": "0"},
    **{"BCAST_OP": "add_tiles_bcast_rows", "FILL_LLK": "fill_tile"},
    **{f"PROCESS_{side}_ACTIVATIONS(i)": "" for side in ("LHS", "RHS", "POST")},
    **{"BF16_ROUNDING_MODE": "DstRoundingMode::NearestEven", "SRC_BCAST": "1"},
    **{"COPY_DEST_DATA_FORMAT": "DataFormat::Float32"},
    **{"SFPU_OP_CHAIN_0": "", "BCAST_OP_TYPE": "EltwiseBinaryType::ELWADD"},
}
"""Macros that are no numbers."""
UNSEEN = ("BCAST_INPUT", "SRC_BCAST", "SFPU_OP_CHAIN_0")
"""Macros that nothing misses: what lacks them is another text."""
SIDES = {"BCAST_OP": "LHS", "OTHER_OP": "RHS"}
"""What binary_ng calls its operands."""
WHERE = {
    "BINARY_SFPU_OP": "where_tile<DataFormat::Float32>",
    "BINARY_SFPU_INIT": "where_tile_init();",
}
"""Of kernels with three operands."""
AUTHORS = (".", "ttnn", "ttnn/cpp")
"""Where headers of the kernels' authors lie: the vendor's host names these folders, too."""
MOST_TRIES = 12
_UNKNOWN = re.compile(
    r"(?:undeclared identifier|unknown type name|no member named) '([A-Z][A-Z0-9_]+)'"
)
_VALUE = re.compile(
    r"static assertion failed|non-type template argument|constant expression|out of range|"
    r"division by zero|zero-size|negative"
)


@dataclass(frozen=True)
class Outcome:
    """A kernel, and why it does not build; "" if it does."""

    kernel: str
    why: str


def kernels(wheel: Path) -> list[Path]:
    """The list that the module's page describes."""
    found = (wheel / PLACE).rglob("*.cpp")
    return sorted(
        path
        for path in found
        if path.parent.name == "compute"
        and re.search(r"kernels[^/]*/(?:.*/)?compute$", path.parent.as_posix())
        and "quasar" not in path.as_posix().lower()
    )


def read_with_headers(path: Path) -> str:
    """A source, and headers of its own that lie beside it."""
    text = path.read_text(errors="replace")
    for name in re.findall(r'#include "([^"]+)"', text):
        beside = path.parent / name
        if beside.is_file():
            text += beside.read_text(errors="replace")
    return text


def guessed(path: Path, wheel: Path, headers: str, step: int) -> KernelFile:
    """A kernel of one source with guesses for all that its host gives."""
    arguments = tuple((1 + step * i) % 32 for i in range(64))
    text = read_with_headers(path)
    kernel = source_kernel(path)
    assert kernel.build is not None
    named = {*re.findall(r"\bargs::(\w+)", text)}
    named |= {*re.findall(r'named_compile_time_arg_val\("(\w+)"', text)}
    entry = r"^(?:template\s*<([^>]*)>\s*)?TT_KERNEL\s+void\s+\w+\(([^)]*)\)"
    for parameters in sum(re.findall(entry, text, re.MULTILINE), ()):
        named |= {each.split()[-1] for each in parameters.split(",") if each.strip()}
    buffers = sorted({*re.findall(r"\bdfb::([a-z]\w*)", text)})
    rings = tuple(
        Ring(0x21000 + 0x4000 * i, (256, 32), "bf16", "tile", tuple(range(8)), i) for i in range(32)
    )
    build = replace(
        kernel.build,
        headers=headers,
        include=(*(() if headers else (wheel / place for place in AUTHORS)), path.parent),
        compile_time_args=MappingProxyType({"source": arguments}),
        runtime_args=MappingProxyType({"source": arguments}),
        common_runtime_args=MappingProxyType({"source": arguments}),
        named_args=MappingProxyType(
            {"source": dict(zip(sorted(named), arguments * 2, strict=False))}
        ),
        buffer_names=MappingProxyType({name: i % 32 for i, name in enumerate(buffers)}),
    )
    return replace(kernel, build=build, rings=rings)


def tried(path: Path, wheel: Path, headers: str) -> Outcome:
    """Build a kernel with each argument 1, and with another for each where that is no good."""
    first = built(path, wheel, headers, 0)
    return built(path, wheel, headers, 1) if first.why.startswith("a guess") else first


def built(path: Path, wheel: Path, headers: str, step: int) -> Outcome:
    """Build a kernel; again with one more macro guessed while one is missing."""
    name = path.relative_to(wheel / PLACE).as_posix()
    kernel, text = guessed(path, wheel, headers, step), read_with_headers(path)
    assert kernel.build is not None
    macros = {name: GUESSES[name] for name in UNSEEN if name in text}
    compiler = find_compiler("zig")
    with TemporaryDirectory() as folder:
        for _ in range(MOST_TRIES):
            defines = MappingProxyType({"source": dict(macros)})
            build = replace(kernel.build, defines=defines)
            try:
                build_kernel(replace(kernel, build=build), compiler, Path(folder))
            except BadInputError as error:
                missing = {*_UNKNOWN.findall(f"{error.summary}\n{error.detail}")} - {*macros}
                known = {key.partition("(")[0] for key in GUESSES}
                missing = {
                    each for each in missing if each in known or re.search(rf"\b{each}\b", text)
                }
                if not missing:
                    return Outcome(name, _reason(error))
                macros |= dict(guess(each, text) for each in sorted(missing))
            else:
                return Outcome(name, "")
    return Outcome(name, "a guess: too many macros are missing")


def guess(name: str, text: str) -> tuple[str, str]:
    """A macro's name, with parameters if it is called, and a text for it."""
    if name in SIDES and f"PREPROCESS({name}" in text:
        return name, SIDES[name]
    if name in WHERE and "where.h" in text:
        return name, WHERE[name]
    if name == "BCAST_OP" and "BCAST_OP<" in text:
        return name, "add_tiles_bcast"
    if name.endswith("_DATA_FORMAT"):
        return name, "DataFormat::Int32"
    for key, value in GUESSES.items():
        if key.partition("(")[0] == name:
            return key, value
    if re.search(rf"\bDataFormat::{name}\b", text):
        return name, "Float16_b"
    if re.search(rf"^\s*{name}\s*;?\s*$", text, re.MULTILINE):
        return name, ""
    if re.search(rf"^\s*{name}\s*\(", text, re.MULTILINE):
        return f"{name}(...)", ""
    return name, "1"


def _reason(error: BadInputError) -> str:
    text = re.sub(r"^\S+?(?:: does not \w+ for \w+:)? ", "", error.summary)
    text = re.sub(r"/\S+/site-packages/", "", text)
    return f"a guess: {text}" if _VALUE.search(error.summary) else text


def survey(wheel: Path, headers: str, only: str) -> Iterator[Outcome]:
    """Each kernel's outcome, in order."""
    chosen = [path for path in kernels(wheel) if only in path.as_posix()]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(lambda path: tried(path, wheel, headers), chosen)


def main() -> int:
    """Print how many build and why not."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--ours", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    outcomes = []
    for outcome in survey(given.wheel, "" if given.ours else str(given.wheel), given.only):
        outcomes.append(outcome)
        print(f"{'ok ' if not outcome.why else '-- '} {outcome.kernel}  {outcome.why}", flush=True)
    built = sum(not outcome.why for outcome in outcomes)
    print(f"\n{built} of {len(outcomes)} build")
    for why, count in Counter(
        re.sub(r"\S+:\d+: ", "", o.why) for o in outcomes if o.why
    ).most_common():
        print(f"{count:4} {why[:160]}")
    if given.json:
        given.json.write_text(json.dumps({o.kernel: o.why for o in outcomes}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
