"""What kernels print: the records that ``tilelab/print.h`` puts into rings in L1, as text.

A ring is two counters, of records written and of records read, and then records of three words. The
host reads whenever it looks; a core whose ring is full waits for it.

Not modelled: who printed first, of two cores; each core's lines are in order.
"""

import re
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from tilelab.formats import from_l1_bytes
from tilelab.formats.l1 import l1_size
from tilelab.formats.layout import TILE
from tilelab.kernels.kernel_toml.file import KernelFile
from tilelab.kernels.l1_places import noted
from tilelab.sim.errors import BadInputError, TilelabError
from tilelab.tensix.tile.tile import Tile

SECTION: Final = ".tilelab_prints"
HEAD, RECORD = 8, 12
"""Bytes of the counters, and of a record."""
LONGEST: Final = 4096
"""Characters of a text."""
TEXT, CHARACTER, UNSIGNED, SIGNED, FLOAT, BF16, *_MANNERS, FAILED, ROWS, COLUMNS, SLICE = range(14)
BASE, PRECISION, WIDTH, FIXED = _MANNERS
"""What a record says, as ``enum class Said`` numbers it."""
BASES = {8: "o", 10: "d", 16: "x"}
PRECISION_AT_FIRST: Final = 4
SHOWN: Final = 20
"""Lines that an error repeats."""


@dataclass
class _Ring:
    """One core's: where it is, how it writes numbers, and the line that is not finished."""

    core: str
    address: int
    records: int
    line: str = ""
    base: int = 10
    precision: int = PRECISION_AT_FIRST
    fixed: bool = False
    width: tuple[int, bool] = (0, False)
    ranges: dict[int, range] = field(default_factory=dict)

    @property
    def extent(self) -> range:
        return range(self.address, self.address + HEAD + RECORD * self.records)


class Prints:
    """What the cores of a kernel print. ``lines`` are whole lines, ``TRISC1: x = 5``.

    BadInputError if a ring lies on an input, an output or a mailbox.
    """

    def __init__(self, tile: Tile, kernel: KernelFile) -> None:
        self.tile = tile
        self.lines: list[str] = []
        self.failed = ""
        self._formats = {item.buffer: item.format for item in kernel.circular_buffers}
        self._rings = [
            _Ring(core.upper(), *place)
            for core, path in kernel.elfs.items()
            if (place := _place(noted(path, SECTION)))
        ]
        placed = [i.extent for i in (*kernel.inputs, *kernel.outputs, *kernel.rings)]
        placed += [range(at, at + 4) for at in kernel.done.mailboxes.values()]
        for ring in self._rings:
            here = ring.extent
            if any(here.start < other.stop and other.start < here.stop for other in placed):
                raise BadInputError(
                    f"{kernel.shown}: {ring.core} prints through L1 [{here.start:#x}, "
                    f"{here.stop:#x}): keep inputs, outputs and mailboxes away from it"
                )

    def clear(self) -> None:
        """Make every ring empty."""
        for ring in self._rings:
            self.tile.write(ring.address, bytes(HEAD))

    def take(self) -> bool:
        """Read what there is; whether there was anything."""
        taken = [self._take(ring) for ring in self._rings]  # all of them
        return any(taken)

    def finish(self) -> None:
        """Read what there is, lines that are not finished too."""
        self.take()
        for ring in self._rings:
            if ring.line:
                self._put(ring, "\n")

    def told(self, error: TilelabError) -> TilelabError:
        """An error of the run with what the cores have printed; the summary has the assertion."""
        self.finish()
        if not self.lines and not self.failed:
            return error
        said = f"{error.summary}: {self.failed}" if self.failed else error.summary
        last = "\n".join(f"  {line}" for line in self.lines[-SHOWN:])
        printed = f"printed:\n{last}" if self.lines else ""
        return type(error)(said, "\n".join(filter(None, (printed, error.detail))))

    def _take(self, ring: _Ring) -> bool:
        written, read = np.frombuffer(self.tile.read(ring.address, HEAD), "<u4").tolist()
        for number in range(read, written):
            at = ring.address + HEAD + RECORD * (number % ring.records)
            kind, value, more = np.frombuffer(self.tile.read(at, RECORD), "<u4").tolist()
            self._put(ring, self._said(ring, kind, value, more))
        if written != read:
            self.tile.write(ring.address + 4, written.to_bytes(4, "little"))
        return bool(written != read)

    def _put(self, ring: _Ring, text: str) -> None:
        *whole, ring.line = (ring.line + text).split("\n")
        self.lines += [f"{ring.core}: {line}" for line in whole]

    def _said(self, ring: _Ring, kind: int, value: int, more: int) -> str:
        """The text of a record; "" for one that changes what follows."""
        if kind == FAILED:
            self.failed = self.failed or f"{ring.core}: {self._text(value)}"
        elif kind == BASE:
            ring.base = value
        elif kind == PRECISION:
            ring.precision = value
        elif kind == FIXED:
            ring.fixed = bool(value)
        elif kind == WIDTH:
            ring.width = value, bool(more)
        elif kind in (ROWS, COLUMNS):
            ring.ranges[kind] = range(value & 0xFF, value >> 8 & 0xFF, max(1, value >> 16))
        elif kind == SLICE:
            return self._tile(ring, value, more)
        else:
            return _padded(ring, self._value(ring, kind, value, more))
        return ""

    def _value(self, ring: _Ring, kind: int, value: int, more: int) -> str:
        if kind == TEXT:
            return self._text(value)
        if kind == CHARACTER:
            return chr(value)
        if kind in (UNSIGNED, SIGNED):
            number = value | more << 32
            if kind == SIGNED and ring.base == 10:
                number -= (number >> 63) << 64
            elif kind == SIGNED and more == 0xFFFFFFFF:
                number &= 0xFFFFFFFF
            return format(number, BASES.get(ring.base, "d"))
        bits = value << 16 if kind == BF16 else value
        return _number(ring, float(np.array(bits, "<u4").view("<f4")))

    def _text(self, address: int) -> str:
        """A text of the program, which ends with a zero."""
        size = min(LONGEST, self.tile.arch.l1_size - address)
        if size <= 0:
            return f"<text at {address:#x}: only constants are printed>"
        return self.tile.read(address, size).split(b"\0")[0].decode("utf-8", "replace")

    def _tile(self, ring: _Ring, buffer: int, address: int) -> str:
        """Rows of a tile's numbers."""
        kind = self._formats[buffer]
        data = self.tile.read(address, l1_size((TILE, TILE), kind))
        values = from_l1_bytes(data, (TILE, TILE), kind, "tile")
        rows, columns = ring.ranges[ROWS], ring.ranges[COLUMNS]
        lines = [" ".join(_number(ring, float(values[r, c])) for c in columns) for r in rows]
        return "\n".join(lines) + "\n"


def _place(text: str | None) -> tuple[int, int] | None:
    """Address and records of a ring, out of what the ELF says."""
    found = re.fullmatch(r"(0x[0-9A-F]+) (\d+)", text or "")
    return (int(found[1], 16), int(found[2])) if found else None


def _number(ring: _Ring, value: float) -> str:
    return format(value, f".{ring.precision}{'f' if ring.fixed else 'g'}")


def _padded(ring: _Ring, text: str) -> str:
    width, sticky = ring.width
    if text == "\n":
        return text
    if not sticky:
        ring.width = 0, False
    return text.rjust(width)
