"""Configuration register fields, by name, for each chip.

A field's *place* packs where it is into one integer, so that kernels can pass it around:
``word << 16 | low_bit << 8 | width``. Names of a family that differ only in ``SEC0``, ``SEC1``, …,
in ``UNP0``, ``UNP1``, or in ``SrcA``, ``SrcB`` are also there as one tuple of places, without the
number or letter: ``ADDR_MOD_AB_SEC_SrcAIncr[i]``, ``SRC_SET_Base[which]``.
"""

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, NamedTuple

from tilelab.tensix.chips import NAMES
from tilelab.tensix.chips.places import Places


class ConfigField(NamedTuple):
    """One field: ``space`` is ``c`` for Config (two banks), ``t`` for ThreadConfig (per thread)."""

    name: str
    space: str
    word: int
    hi: int
    lo: int

    @property
    def place(self) -> int:
        """The packed place, as kernels take it."""
        return self.word << 16 | self.lo << 8 | (self.hi - self.lo + 1)


CHIPS = NAMES
LIST = "config.txt"


def read_fields(path: Traversable) -> dict[str, ConfigField]:
    """The fields that a chip's list has, by name."""
    fields: dict[str, ConfigField] = {}
    for line in path.read_text(encoding="ascii").splitlines():
        if line.startswith("#"):
            continue
        space, word, hi, lo, name = line.split()
        fields[name] = ConfigField(name, space, int(word), int(hi), int(lo))
    return fields


@cache
def config_fields(chip: str) -> dict[str, ConfigField]:
    """Every field of one of CHIPS, by name."""
    return read_fields(files("tilelab.tensix.chips").joinpath(chip, LIST))


def config_masks(fields: Iterable[ConfigField]) -> tuple[int, ...]:
    """Bits of each Config word that exist; words that no document divides keep all 32 bits."""
    masks = [0] * 256
    for field in fields:
        if field.space == "c":
            masks[field.word] |= ((2 << (field.hi - field.lo)) - 1) << field.lo
    return tuple(mask or 0xFFFFFFFF for mask in masks)


FAMILY: Final = re.compile(r"(?:_SEC|^UNP)(\d)|(?:Src|SRC)([AB])")
"""Fields of a section, an unpacker, or of SrcA or SrcB."""


def places(own: dict[str, ConfigField]) -> Places:
    """The places of a chip's fields as attributes, families as tuples.

    A field that only another chip has is there too, with the place 0: it has no bits and reads
    as 0, so that one kernel serves both chips.
    """
    names = Places()
    families: dict[str, dict[int, int]] = {}
    for name in [*own, *(name for other in CHIPS for name in config_fields(other))]:
        place = own[name].place if name in own else 0
        setattr(names, name, place)
        if match := FAMILY.search(name):
            number = int(match[1]) if match[1] else "AB".index(match[2])
            family = name[: match.end() - 1] + name[match.end() :]
            families.setdefault(family, {})[number] = place
    for family, members in families.items():
        if sorted(members) == list(range(len(members))) and len(members) > 1:
            setattr(names, family, tuple(members[i] for i in range(len(members))))
    return names
