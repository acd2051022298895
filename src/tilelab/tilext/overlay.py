"""Overlays: what a user states where the document is silent, read from TOML and checked.

The keys are in :mod:`tilelab.tilext.profile`.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tilelab.isa.syntax import shorten
from tilelab.sim.errors import BadInputError
from tilelab.tilext.forms import FORMS, LOAD, OVERLAY_FORMS, STORE, Form
from tilelab.tilext.table import TABLE

CUSTOM_3 = 0x7B
SLOTS = (2, 1, 0)
_KEYS = ("opcode", "order", "codes", "rows", "fields", "instructions")
_FORM_VALUES = {
    "space": ("global", "share"),
    "mode": ("unit", "stride", "index", "rd", "nord", "tile"),
    "func6": ("vector", "frf", "grf"),
    "direction": (LOAD, STORE),
}
_NAME = re.compile(r"[a-z_][a-z0-9_.]*")

Cells = Mapping[str, Mapping[int, str]]


@dataclass(frozen=True)
class NewInstruction:
    """An instruction that the document lacks: its heading and what it is."""

    title: str
    form: Form


@dataclass(frozen=True)
class Overlay:
    """What a user states: opcodes and issue order of the slots, names of codes, words, cells."""

    opcode: Mapping[int, int] = field(default_factory=lambda: dict.fromkeys(SLOTS, CUSTOM_3))
    order: tuple[int, ...] = SLOTS
    names: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    rows: Cells = field(default_factory=dict)
    fields: Cells = field(default_factory=dict)
    instructions: Mapping[str, NewInstruction] = field(default_factory=dict)


def read_overlay(overlay: Path | Mapping[str, Any] | None) -> Overlay:
    """Return an overlay from a TOML file or its contents; BadInputError if unfit."""
    data = overlay or {}
    if isinstance(data, Path):
        try:
            data = tomllib.loads(data.read_text(encoding="utf-8-sig"))
        except RecursionError:
            raise BadInputError(f"overlay {overlay}: nested too deeply") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise BadInputError(f"overlay {overlay}: {reason}") from None
    if unknown := data.keys() - set(_KEYS):
        raise BadInputError(f"overlay: unknown key {', '.join(sorted(unknown))}")
    try:
        added = _instructions(data.get("instructions", {}))
        rows = _cells("rows", data.get("rows", {}), added)
        if bare := sorted(added.keys() - rows.keys()):
            raise BadInputError(f"overlay: instructions.{bare[0]} has no words: rows.{bare[0]}")
        return Overlay(
            _opcodes(data.get("opcode", CUSTOM_3)),
            _order(data.get("order", SLOTS)),
            _names(data.get("codes", {})),
            rows,
            _cells("fields", data.get("fields", {}), added, rows),
            added,
        )
    except (TypeError, AttributeError):
        raise BadInputError("overlay: a value has the wrong type") from None


def _opcodes(value: int | Mapping[str, int]) -> dict[int, int]:
    if isinstance(value, int):
        table = dict.fromkeys(SLOTS, value)
    else:
        if strange := value.keys() - {str(slot) for slot in SLOTS}:
            raise BadInputError(f"overlay: opcode.{min(strange)} is not a slot: 2, 1 or 0")
        table = {slot: value.get(str(slot), CUSTOM_3) for slot in SLOTS}
    for opcode in table.values():
        if not 0 <= opcode <= 0x7F or opcode & 3 != 3 or opcode & 0x1C == 0x1C:
            raise BadInputError(f"overlay: opcode {opcode:#x} is not one of a 32-bit instruction")
    return table


def _order(value: list[int] | tuple[int, ...]) -> tuple[int, ...]:
    if sorted(value) != [0, 1, 2]:
        raise BadInputError(f"overlay: order {list(value)} is not some order of 2, 1, 0")
    return tuple(value)


def _names(codes: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    for operand, names in codes.items():
        if len(set(names.values())) != len(names):
            raise BadInputError(f"overlay: codes.{operand} gives two names to one code")
        for name, code in names.items():
            unfit = not name or not name.isprintable() or set(name) & set(" ,#;@\"'/")
            if not isinstance(code, int) or isinstance(code, bool) or code < 0 or unfit:
                raise BadInputError(
                    f"overlay: codes.{operand}.{name} = {code} is not a name and a code"
                )
    return {operand: dict(names) for operand, names in codes.items()}


def _instructions(given: Mapping[str, Mapping[str, str]]) -> dict[str, NewInstruction]:
    found = {}
    for name, values in given.items():
        where = f"overlay: instructions.{shorten(name)}"
        if name in TABLE:
            raise BadInputError(f"{where} is in the document: rows or fields change its words")
        if not _NAME.fullmatch(name):
            raise BadInputError(f"{where}: a name is of a-z, 0-9, _ and .")
        if strange := values.keys() - {"like", "verb", "title", *_FORM_VALUES}:
            raise BadInputError(f"{where} has no key {min(strange)}")
        if ("like" in values) == ("verb" in values):
            raise BadInputError(f"{where} wants `like`, an instruction, or `verb`: {_verbs()}")
        known = FORMS if "like" in values else OVERLAY_FORMS
        source = values.get("like") or values.get("verb", "")
        if source not in known:
            raise BadInputError(
                f"{where}: {shorten(source)!r} is neither an instruction nor {_verbs()}"
            )
        changes: dict[str, Any] = {key: values[key] for key in _FORM_VALUES if key in values}
        for key, value in changes.items():
            if value not in _FORM_VALUES[key]:
                raise BadInputError(f"{where}.{key} is one of {', '.join(_FORM_VALUES[key])}")
        form = replace(known[source], **changes)
        if form.family == "memory":
            letters = "ld" if form.verb == LOAD else "st"
            form = replace(form, counter=f"t{form.space[0]}{letters}")
        title = values.get("title", f"({name})")
        if not title.isprintable():
            raise BadInputError(f"{where}.title is not one printable line")
        found[name] = NewInstruction(title, form)
    return found


def _verbs() -> str:
    return ", ".join(OVERLAY_FORMS)


def _cells(
    key: str,
    given: Mapping[str, Mapping[str, str]],
    added: Mapping[str, NewInstruction],
    rows: Cells | None = None,
) -> dict[str, dict[int, str]]:
    """Return cells by instruction and slot; with ``rows``, only for words that exist."""
    found: dict[str, dict[int, str]] = {}
    for name, words in given.items():
        if name not in TABLE and name not in added:
            raise BadInputError(
                f"overlay: {key}.{shorten(name)} is not an instruction; "
                f"instructions.{shorten(name)} would add it"
            )
        known = {str(slot) for slot in SLOTS}
        if rows is not None:
            printed = TABLE[name].words if name in TABLE else ()
            known = {str(word.slot) for word in printed} | {str(s) for s in rows.get(name, {})}
        if strange := {str(slot) for slot in words} - known:
            raise BadInputError(f"overlay: {name} has no word {', '.join(sorted(strange))}")
        if not all(isinstance(text, str) for text in words.values()):
            raise TypeError(key)
        found[name] = {int(slot): text for slot, text in words.items()}
    return found
