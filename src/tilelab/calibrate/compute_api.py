"""The vendor's compute API (``NAME_tile``) out of a checkout of tt-metal: what it has, building it.

It is compiled for the math core as ttnn's run-time build does, by tilelab's stand-in.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from tilelab.build.standin.foreign import LONG_NAMES
from tilelab.build.vendors.tree import options
from tilelab.formats.layout import TILE
from tilelab.kernels.descriptors import descriptors
from tilelab.kernels.kernel_toml.building import Build
from tilelab.kernels.kernel_toml.file import Done, KernelFile, Ring

API = "hw/inc/api/compute"
TEMPLATE = r"((?:template\s*<[^{};]*?>\s*)?)"
FUNCTION = re.compile(TEMPLATE + r"ALWI void (\w+_tile)\(([^)]*)\)\s*\{", re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TILES = tuple(
    Ring(address=0, shape=(TILE, TILE), format="bf16", layout="tile", tiles=(0,), buffer=number)
    for number in range(32)
)
"""Every circular buffer holds bfloat16."""
ONE_FACE, WHOLE = 8, 32
"""Vectors that a function has its kernel compute in a call, once a face; vectors of a tile."""
INITS = {"exp": "exp_tile_init<true, 0x3F800000, InputClamping::None>()"}
"""What prepares a function whose template arguments a figure names, if they are not the default."""


@dataclass(frozen=True)
class Call:
    """One function: its header, its calls with {format} left open, what cannot be given to it."""

    header: str
    init: str
    call: str
    strange: str
    text: str = ""
    """Its definition."""

    @property
    def both(self) -> str:
        """Both calls as statements."""
        return f"{self.init}; {self.call};" if self.init else f"{self.call};"


def template_arguments(text: str, name: str) -> tuple[str, str]:
    """``(arguments, what cannot be given)`` for a template's parameters without a default."""
    given: list[str] = []
    inner = re.sub(r"^template\s*<|>\s*$", "", text.strip())
    for parameter in inner.split(",") if inner else ():
        if "=" in parameter:
            break
        if "DataFormat" in parameter:
            given.append("DataFormat::{format}")
        elif "bool" in parameter:
            given.append("false")
        elif "int" in parameter:
            given.append("5u" if "cast" in name and not given else "0u")
        else:
            return "", parameter
    return f"<{', '.join(given)}>" if given else "", ""


def arguments(text: str) -> tuple[str, str]:
    """``(arguments, what cannot be given)``: tiles of Dst in order, a one for any other number."""
    given, tiles = [], 0
    for parameter in filter(None, (each.strip() for each in text.split(","))):
        if "=" in parameter:
            continue
        if "dst" in parameter:
            given.append(str(tiles))
            tiles += 1
        elif re.match(r"(const )?(std::)?u?int(32|16|8)?(_t)?\b|unsigned", parameter):
            number = re.search("param|value|alpha|scal", parameter)
            given.append("0x3f800000u" if number else "1u")
        elif parameter.startswith("float"):
            given.append("1.0f")
        elif "bool" in parameter:
            given.append("false")
        else:
            return "", parameter
    return ", ".join(given), ""


def calls(metal: Path) -> dict[str, Call]:
    """Every function of the API below a ``tt_metal``, by its name."""
    found = {}
    for header in sorted((metal / API).rglob("*.h")):
        if {"debug", "experimental"} & set(header.parts):
            continue
        text = _COMMENT.sub("", header.read_text("utf-8"))
        for begins in FUNCTION.finditer(text):
            template, name, taken = begins.groups()
            (types, strange), (given, other) = template_arguments(template, name), arguments(taken)
            begun = re.search(TEMPLATE + rf"ALWI void {name}_init\(([^)]*)\)", text, re.DOTALL)
            init = ""
            if begun:
                first, unknown = template_arguments(begun[1], name)
                count = sum(1 for each in begun[2].split(",") if each.strip() and "=" not in each)
                init = f"{name}_init{first}({', '.join(['1u'] * count)})"
                strange = strange or unknown
            place = str(header.relative_to(metal / "hw/inc"))
            own = text[begins.start() : _closing(text, begins.end())]
            found[name] = Call(place, init, f"{name}{types}({given})", strange or other, own)
    return found


def _closing(text: str, at: int) -> int:
    """Behind the brace that closes what has been opened just before a place."""
    depth = 1
    while depth and at < len(text):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return at


def in_one_call(call: Call) -> tuple[str, str] | None:
    """A function that has its kernel compute a whole tile in a call; None: it cannot be told how.

    tt-llk's performance tests have it so; the API has a call for each face. Returns a header's text
    and the call.
    """
    name = call.call.partition("_tile")[0]
    text, modes = re.subn(r"\bRC\b", "None", call.text)
    text, counts = re.subn(rf"(?<=[(,])\s*{ONE_FACE}\s*(?=[,)])", f" {WHOLE}", text)
    if not counts:  # what a kernel's template has by default, after its other arguments
        text, counts = re.subn(r"(calculate_\w+,\s*\([^()]+)\)", rf"\1, {WHOLE})", text)
    if not (modes and counts):
        return None
    text = text.replace(f"{name}_tile(", f"{name}_whole(", 1)
    body = f'#include "{call.header}"\nnamespace ckernel {{\n{text}\n}}\n'
    return body, call.call.replace(f"{name}_tile", f"{name}_whole", 1)


def kernel_text(metal: Path, arch: str, call: Call) -> str:
    """What defines the kernel that a function calls, without comments and spaces; "" if unknown."""
    called = re.search(r"\b_?calculate_\w+", call.text)
    folders = (f"hw/ckernels/{LONG_NAMES[arch]}", f"tt-llk/tt_llk_{LONG_NAMES[arch]}")
    for header in (each for folder in folders for each in (metal / folder).rglob("*.h")):
        text = _COMMENT.sub("", header.read_text("utf-8"))
        if called and (begins := re.search(rf"\bvoid {called[0]}\([^)]*\)\s*\{{", text)):
            own = text[begins.start() : _closing(text, begins.end())]
            return re.sub(r"\s+", "", own)
    return ""


def words(metal: Path, chip: str, folder: Path) -> list[str]:
    """The compiler's options; its generated headers are in ``folder`` (:func:`headers`)."""
    # the harnesses of published figures let kernels schedule by SFPLOADMACRO
    own = ("-UDISABLE_SFPLOADMACRO", "-DKERNEL_BUILD")
    unit, *others = options(metal.parent, chip, "trisc1")
    return [unit, f"-I{folder}", *others, *own]


def headers(wide: bool) -> dict[str, str]:
    """The headers that ttnn's run-time build would generate: bfloat16 tiles, Dst's width."""
    build = Build(Path(), {}, fp32_dest_acc_en=wide)
    kernel = KernelFile(Path(), "", "", {}, (), (), Done({}, 0), build, TILES)
    return {
        "chlkc_descriptors.h": "#pragma once\n" + descriptors(kernel),
        "defines_generated.h": "#pragma once\n#define INP_FLOAT 1\n#define NOC_MODE 0\n",
        # older releases' common.h includes the kernel, and calls it
        "chlkc_math.cpp": "static void kernel_main() {}\n",
    }
