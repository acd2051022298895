"""Writes a launch of a kernel as a folder: kernel.toml, source, what it was given, what it gave."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from tilelab.formats.l1 import from_l1_bytes, l1_size, to_l1_bytes
from tilelab.formats.layout import TILE
from tilelab.kernels.descriptors import CODE
from tilelab.sim.errors import BadInputError
from tilelab.vendor.imported.compiled import Compiled
from tilelab.vendor.imported.launches import Launch, Ring

FIRST: Final = 0x21000
ROOM: Final = range(FIRST, CODE["brisc"].start)
ALIGNMENT: Final = 64
SOURCE: Final = "kernel.cpp"
HEAD: Final = """\
description = {description}
arch = "{arch}"
elfs = {{ trisc0 = "unpack.elf", trisc1 = "math.elf", trisc2 = "pack.elf" }}
"""
DONE: Final = """
[done]
mailboxes = { trisc0 = 0x1FFB8, trisc1 = 0x1FFBC, trisc2 = 0x1FFC0 }

[build]
"""


@dataclass
class _L1:
    """What is free of L1."""

    at: int = FIRST

    def take(self, count: int) -> int:
        """A place for so many bytes; BadInputError if there is none."""
        place, self.at = self.at, -(-(self.at + count) // ALIGNMENT) * ALIGNMENT
        if self.at > ROOM.stop:
            raise BadInputError(f"its buffers take more than {len(ROOM):,} bytes of one tile's L1")
        return place


def write_folder(folder: Path, launch: Launch, compiled: Compiled, arch: str, headers: str) -> None:
    """Write the folder; BadInputError, with nothing written, for a launch that cannot be one."""
    l1, tables = _L1(), []
    arrays: dict[str, Any] = {}
    for number, ring in sorted(launch.rings.items()):
        if number not in compiled.formats:
            continue  # an earlier program's
        tables.append(_table(number, ring, launch, compiled, l1, arrays))
    if not any("[[outputs]]" in each for each in tables):
        raise BadInputError("it packs into no circular buffer that others read")
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / name, array)
    (folder / SOURCE).write_text(compiled.source, encoding="utf-8")
    text = HEAD.format(description=json.dumps(f"{compiled.name}, as ttnn ran it"), arch=arch)
    text += "".join(tables) + DONE + _build(compiled, headers)
    (folder / "kernel.toml").write_text(text, encoding="utf-8")


def _table(
    number: int, ring: Ring, launch: Launch, compiled: Compiled, l1: _L1, arrays: dict[str, Any]
) -> str:
    """A buffer's table: an input, an output, or neither, if the kernel fills and drains it."""
    name = f"c_{number}"
    form = compiled.formats[number]
    tile = l1_size((TILE, TILE), form)
    if ring.page != tile:
        raise BadInputError(f"{name} has pages of {ring.page:,} bytes, not tiles of {tile:,}")
    pages = launch.pages.get(number, [])
    if not pages or (ring.filled and ring.drained):
        place = l1.take(ring.bytes)
        return (
            f'\n[[buffers]]\nbuffer = "{name}"\naddress = {place:#x}\n'
            f'tiles = {ring.bytes // tile}\nformat = "{form}"\n'
        )
    data = b"".join(pages)
    place = l1.take(len(data))
    facts = f'address = {place:#x}\nformat = "{form}"\nlayout = "tile"\nbuffer = "{name}"\n'
    if ring.filled:
        arrays[f"{name}.npy"] = np.frombuffer(data, np.uint8)
        shape = [TILE * len(pages), TILE]
        left = _left_alone(name, pages, launch.before[number], place, arrays)
        return f'\n[[outputs]]\n{facts}shape = {shape}\nexact = "{name}.npy"\n{left}'
    array = from_l1_bytes(data, (TILE * len(pages), TILE), form)
    if to_l1_bytes(array, form) != data:  # what lay there by chance can be no number of the format
        arrays[f"{name}.npy"] = np.frombuffer(data, np.uint8)
        return f'\n[[inputs]]\nfile = "{name}.npy"\n{facts}shape = {[TILE * len(pages), TILE]}\n'
    arrays[f"{name}.npy"] = array
    return f'\n[[inputs]]\nfile = "{name}.npy"\n{facts}'


def _left_alone(
    name: str, pages: list[bytes], before: list[bytes], place: int, arrays: dict[str, Any]
) -> str:
    """Tables of what lay where pages were pushed that nobody had written, as far as that shows.

    Kernels push blocks of which they have packed a part.
    """
    tables, size = "", len(pages[0])
    for index, (page, old) in enumerate(zip(pages, before, strict=True)):
        if page != old or not any(page):
            continue
        file = f"{name}_left_{index}.npy"
        arrays[file] = np.frombuffer(old, np.uint8)
        at = place + index * size
        tables += f'\n[[inputs]]\nfile = "{file}"\naddress = {at:#x}\n'
        tables += 'format = "uint8"\nlayout = "row_major"\n'
    return tables


def _build(compiled: Compiled, headers: str) -> str:
    lines = [f'source = "{SOURCE}"', f"headers = {json.dumps(headers)}"]
    if compiled.beside:
        lines.append(f"include = [{json.dumps(str(compiled.beside))}]")
    if compiled.math_fidelity:
        lines.append(f'math_fidelity = "{compiled.math_fidelity}"')
    for name in ("fp32_dest_acc_en", "dst_full_sync_en", "math_approx_mode"):
        if getattr(compiled, name):
            lines.append(f"{name} = true")
    if compiled.unpack_to_dest_mode:
        names = [f"c_{number}" for number in compiled.unpack_to_dest_mode if number < 32]
        lines.append(f"unpack_to_dest_mode = {json.dumps(names)}")
    for name in ("compile_time_args", "runtime_args", "common_runtime_args"):
        if words := getattr(compiled, name):
            lines.append(f"{name} = {{ source = {list(words)} }}")
    buffers = {name: f"c_{number}" for name, number in compiled.buffer_names.items()}
    for title, given in (
        ("build.buffer_names", buffers),
        ("build.named_args.source", compiled.named_args),
        ("build.defines.source", compiled.defines),
    ):
        lines += _entries(title, given)
    return "\n".join([*lines, ""])


def _entries(title: str, given: Mapping[str, object]) -> list[str]:
    if not given:
        return []
    return ["", f"[{title}]", *(f"{json.dumps(k)} = {json.dumps(v)}" for k, v in given.items())]
