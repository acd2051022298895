"""The func6 tables of Tile Move and ASP words: what is moved between a register and the tile core.

A word's register file picks the table (vector, frf, grf); ``load`` brings data into the register
(an ASP_load word), ``store`` takes it out (an ASP_store word). Codes that no row names are
"Illegal instruction". Names are ours: e8 for vector elements (``.m``: masked by v0), u8/s16/x64
for integers, fp16 for floats. Source: seed lines 285-331.
"""

from dataclasses import dataclass
from functools import cache

from tilelab.tilext.forms import LOAD, STORE
from tilelab.tilext.texts import words


@dataclass(frozen=True)
class Func6:
    """One legal code: table, direction, our name, width in bits, the seed's line."""

    table: str
    code: int
    direction: str
    name: str
    bits: int
    line: int
    signed: bool = False
    masked: bool = False

    def meaning(self, language: str) -> str:
        """Return what it moves, in "en" or "zh"."""
        say = words(language)
        wide = say[f"func6 {self.table} {self.direction}"].format(bits=self.bits)
        if self.bits == 4 and self.table == "vector":
            wide = say["func6 nibble"]
        elif self.table == "grf" and self.direction == LOAD and self.bits < 64:
            wide += say["func6 signed" if self.signed else "func6 unsigned"]
        return wide + (say["func6 masked"] if self.masked else "")


def _vector() -> list[Func6]:
    rows = []
    for low, bits, line in ((0, 8, 287), (2, 16, 289), (4, 32, 291), (6, 64, 293), (16, 4, 295)):
        for masked in (False, True):
            high, name = (0, f"e{bits}.m") if masked else (0b100000, f"e{bits}")
            rows += [
                Func6("vector", high | low, LOAD, name, bits, line, masked=masked),
                Func6("vector", high | low | 1, STORE, name, bits, line + 1, masked=masked),
            ]
    return rows


def _grf() -> list[Func6]:
    rows = []
    for low, name, bits, line in (
        (0b00_0000, "u8", 8, 313),
        (0b00_0010, "u16", 16, 315),
        (0b00_0100, "u32", 32, 317),
        (0b00_0110, "x64", 64, 319),
        (0b01_0000, "u4", 4, 321),
        (0b01_0010, "s16", 16, 323),
        (0b01_0100, "s32", 32, 325),
        (0b01_0110, "x64.1", 64, 327),
        (0b11_0000, "s4", 4, 329),
    ):
        signed = name.startswith("s")
        rows += [
            Func6("grf", low, LOAD, name, bits, line, signed),
            Func6("grf", low | 1, STORE, name, bits, line + 1, signed),
        ]
    return rows


def _frf(fp16_store: int) -> list[Func6]:
    return [
        Func6("frf", 0b10_0001, LOAD, "fp16", 16, 302),
        Func6("frf", fp16_store, STORE, "fp16", 16, 303),
        Func6("frf", 0b10_0010, LOAD, "fp32", 32, 304),
        Func6("frf", 0b10_0110, STORE, "fp32", 32, 305),
        Func6("frf", 0b10_0011, LOAD, "fp64", 64, 306),
        Func6("frf", 0b10_0111, STORE, "fp64", 64, 307),
    ]


_SHARED = tuple(_vector() + _grf())
PRINTED = (*_SHARED, *_frf(0b10_0011))
# Question func6-frf: with this one code, bit 2 is "store" and bits 1:0 the size in all six rows.
REPAIRED = (*_SHARED, *_frf(0b10_0101))


@cache
def legal(table: str, direction: str, *, printed: bool = False) -> dict[int, Func6]:
    """Return the legal codes of a register file's table for a direction."""
    rows = PRINTED if printed else REPAIRED
    return {row.code: row for row in rows if (row.table, row.direction) == (table, direction)}
