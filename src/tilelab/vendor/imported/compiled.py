"""What a live program's host had compiled for a kernel: read from the folder that it keeps."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilelab.kernels.descriptors import NO_FORMAT, NUMBERS, RINGS
from tilelab.sim.errors import BadInputError
from tilelab.vendor.imported.launches import Launch

FORMATS: Final = {number: name for name, number in reversed(NUMBERS.items())}
"""The formats' names, by the vendor's number; of two that share one, the first."""
NAMED_MAP: Final = "named_ct_arg_map_generated.h"
FIDELITIES: Final = {0: "LoFi", 2: "HiFi2", 3: "HiFi3", 4: "HiFi4"}
_DEFINE: Final = re.compile(r"^#define (\w+(?:\([^)]*\))?)[ \t]*(.*)$", re.MULTILINE)
_INCLUDED: Final = re.compile(r'^#include "(/[^"]+)"\s*$', re.MULTILINE)
_NAMED: Final = re.compile(r"experimental::(Rta|Crta|Cta)(?:Arg|Val)<uint32_t> (\w+)\{(\d+)u?\}")
_VARARGS: Final = re.compile(r"get_(common_)?vararg\(uint32_t idx\) \{[^(]*\((\d+) \+ idx\)")
_TOKEN: Final = re.compile(r"^constexpr DFBBindingToken<[^;]*?> (\w+)\{(\d+)", re.MULTILINE)
_PAIR: Final = re.compile(r'\{"(\w+)",\s*(\d+)u?\}')


@dataclass(frozen=True)
class Compiled:
    """One kernel: its source, the folder of that, and all that the host told the compiler."""

    name: str
    source: str
    beside: Path | None
    defines: Mapping[str, str]
    compile_time_args: tuple[int, ...]
    named_args: Mapping[str, int]
    runtime_args: tuple[int, ...]
    common_runtime_args: tuple[int, ...]
    buffer_names: Mapping[str, int]
    formats: Mapping[int, str]
    math_fidelity: str
    math_approx_mode: bool
    fp32_dest_acc_en: bool
    dst_full_sync_en: bool
    unpack_to_dest_mode: tuple[int, ...]


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def read_compiled(launch: Launch, calls: Path) -> Compiled:
    """Read a launch's kernel; ``calls`` are the compiler's calls, one JSON array a line."""
    folder = launch.folder
    wrapper = _read(folder / "chlkc_math.cpp")
    if not wrapper:
        raise BadInputError(f"{folder}: has no chlkc_math.cpp")
    included = _INCLUDED.search(wrapper)
    beside = Path(included[1]) if included else None
    source = _read(beside) if beside else wrapper.partition("void kernel_main();")[2]
    told = _read(folder / "chlkc_descriptors.h")
    constants, named = _options(folder, calls)
    named |= {n: int(v) for n, v in _PAIR.findall(_read(folder / NAMED_MAP))}
    runtime, common = list(launch.runtime_args), list(launch.common_runtime_args)
    text = _read(folder / "kernel_args_generated.h")
    for kind, name, value in _NAMED.findall(text):
        words = {"Rta": runtime, "Crta": common}.get(kind)
        at = int(value)
        named[name] = at if words is None else words[at // 4] if at // 4 < len(words) else 0
    behind = {bool(common_): int(count) for common_, count in _VARARGS.findall(text)}
    formats = _array(told, "unpack_src_format")
    seen = _array(told, "unpack_dst_format")
    wide = _flag(told, "DST_ACCUM_MODE")
    return Compiled(
        name=folder.parent.name,
        source=source,
        beside=beside.parent if beside else None,
        defines=dict(_DEFINE.findall(_read(folder / "defines_generated.h"))),
        compile_time_args=constants,
        named_args=named,
        runtime_args=_asked_for(source, "", runtime[behind.get(False, 0) :]),
        common_runtime_args=_asked_for(source, "common_", common[behind.get(True, 0) :]),
        buffer_names={
            name: int(number)
            for name, number in _TOKEN.findall(_read(folder / "kernel_bindings_generated.h"))
        },
        formats=_known(formats),
        math_fidelity=_fidelity(told),
        math_approx_mode=_flag(told, "APPROX"),
        fp32_dest_acc_en=wide,
        dst_full_sync_en="DstSync::SyncFull" in told,
        unpack_to_dest_mode=tuple(
            i for i, n in enumerate(formats) if wide and n == NUMBERS["fp32"] == seen[i]
        ),
    )


def _asked_for(source: str, kind: str, words: list[int]) -> tuple[int, ...]:
    """The arguments that a source asks for; all that there are where it counts as it runs.

    How many a host has given is not in L1: behind them lies something else.
    """
    asked: list[str] = re.findall(
        rf"get_{kind}(?:arg_val<[^>]*>|vararg|arg_addr)\(\s*([^)]*)\)", source
    )
    if not all(each.strip().isdecimal() for each in asked):
        return tuple(words)
    return tuple(words[: max((int(each) + 1 for each in asked), default=0)])


def _options(folder: Path, calls: Path) -> tuple[tuple[int, ...], dict[str, int]]:
    """Compile-time arguments by number and by name, from the call that compiled the math core."""
    for line in _read(calls).splitlines():
        words = json.loads(line)
        if not any(str(folder / "trisc1") in word for word in words):
            continue
        given = dict(word[2:].partition("=")[::2] for word in words if word.startswith("-D"))
        if "KERNEL_BUILD" not in given:
            continue
        numbers = given.get("KERNEL_COMPILE_TIME_ARGS", "")
        named = {n: int(v) for n, v in _PAIR.findall(given.get("KERNEL_COMPILE_TIME_ARG_MAP", ""))}
        return tuple(int(each, 0) for each in numbers.split(",") if each), named
    return (), {}


def _known(formats: list[int]) -> dict[int, str]:
    """Formats by buffer; BadInputError for one that is not known here."""
    given = {i: n for i, n in enumerate(formats) if n != NO_FORMAT}
    if unknown := [i for i, n in given.items() if n not in FORMATS]:
        raise BadInputError(f"c_{unknown[0]} has format {given[unknown[0]]}, unknown to tilelab")
    return {i: FORMATS[n] for i, n in given.items()}


def _array(text: str, name: str) -> list[int]:
    found = re.search(rf"(?<!\w){name}\[{RINGS}\] = \{{([\d,\s]+)\}}", text)
    return [int(each) for each in found[1].split(",")] if found else [NO_FORMAT] * RINGS


def _flag(text: str, name: str) -> bool:
    return bool(re.search(rf"\b{name} = true;", text))


def _fidelity(text: str) -> str:
    found = re.search(r"MathFidelity>\((\d+)\)", text)
    return FIDELITIES.get(int(found[1]), "") if found else ""
