"""A recording as the page's script wants it: columns of numbers, packed, and tables of words."""

import json
from typing import Any

import numpy as np

from tilelab.report import palette
from tilelab.sim.texts import text_of
from tilelab.tensix.cycle import events
from tilelab.tensix.frontend.replay_expander import REPLAY_SLOTS
from tilelab.tensix.tables.causes import AT_REST, CAUSES, CORE_CAUSES, CORE_RESET
from tilelab.tensix.words.mop import ROLES, unpack_place
from tilelab.tensix.words.origin import CORE_NAMES as PUSHERS
from tilelab.tensix.words.origin import (
    mop_ordinal,
    origin_of,
    push_site,
    pushed_at,
    pusher,
    slot_ordinal,
)
from tilelab.trace.page.code import code
from tilelab.trace.page.columns import Numbers, packed, rising
from tilelab.trace.page.frames import frames
from tilelab.trace.page.results import results
from tilelab.trace.page.tracks import STATES, states
from tilelab.trace.recorded import CORE_NAMES, THREAD_NAMES, Recorded

WORD_KINDS = (
    events.ISSUE,
    events.MOP_OUT,
    events.REPLAY_OUT,
    events.RECORD_SLOT,
    events.PUSH,
)
KINDS = {
    "ISSUE": events.ISSUE,
    "GATE": events.GATE,
    "CORE": events.CORE,
    "MOP_OUT": events.MOP_OUT,
    "REPLAY_OUT": events.REPLAY_OUT,
    "RECORD_SLOT": events.RECORD_SLOT,
    "PUSH": events.PUSH,
}
MOP_REGISTERS = len(ROLES[0])


def shown(recording: Recorded) -> Numbers:
    """Which events a page lists: all but the states, which are tracks of their own."""
    return np.flatnonzero(~np.isin(recording.events["kind"], STATES))


def tables(recording: Recorded) -> tuple[dict[str, Numbers], dict[str, Any]]:
    """Columns of events, and the tables that they index.

    ``clock`` is the difference to the event before; ``value`` a row of ``words``, or the number of
    a gate's or a core's cause; ``site`` a row of ``sites``, for a gate of ``waits``; ``slot`` and
    ``role`` count from 1; ``back`` is the distance to the event that made this one.
    """
    kept = shown(recording)
    found = recording.events[kept]
    kind, extra = found["kind"], found["extra"]
    has_word = np.isin(kind, WORD_KINDS)
    words, value = _indexed(found["value"], has_word)
    pushes, cores, gates = (kind == k for k in (events.PUSH, events.CORE, events.GATE))
    site = push_site(extra)
    own = pushes | cores
    site[own] = origin_of(found["part"][own].astype(np.uint64), extra[own])
    places, where = _indexed(site, has_word | cores)
    pairs, waits = _indexed(found["value"].astype(np.uint64) << np.uint64(32) | extra, gates)
    where[gates] = waits[gates]
    stepped = has_word & ~pushes
    slot = np.where(stepped, slot_ordinal(extra), 0)
    slot = np.where(kind == events.RECORD_SLOT, found["length"] + 1, slot)
    number = np.cumsum(~np.isin(recording.events["kind"], STATES)) - 1
    made_by = recording.links.made_by[kept]
    back = np.where(made_by >= 0, np.arange(len(kept)) - number[made_by], 0)
    columns: dict[str, Numbers] = {
        "clock": rising(found["clock"]),
        "kind": kind.astype(np.uint8),
        "part": found["part"].astype(np.uint8),
        "value": np.where(has_word, value, found["value"]).astype(np.uint32),
        "length": np.where(kind == events.ISSUE, found["length"], 0).astype(np.uint16),
        "site": where.astype(np.uint32),
        "step": np.where(stepped, mop_ordinal(extra), 0).astype(np.uint16),
        "slot": slot.astype(np.uint8),
        "back": back.astype(np.uint32),
        **_loops(found),
    }
    rows = {
        "words": [_word(recording, word) for word in words.tolist()],
        "sites": [_site(recording, place) for place in places.tolist()],
        "waits": [recording.gate_cause(pair >> 32, pair & 0xFFFFFFFF) for pair in pairs.tolist()],
        "roles": _roles(),
    }
    return columns, rows


def _indexed(values: Numbers, which: Numbers) -> tuple[Numbers, Numbers]:
    """The different values of some rows, and for each row where in them its value is, or 0."""
    different, index = np.unique(values[which], return_inverse=True)
    at = np.zeros(len(values), np.int64)
    at[which] = index.reshape(-1)
    return different, at


def _word(recording: Recorded, word: int) -> list[Any]:
    """Bits, mnemonic, assembly, and the number of the unit, -1 for one that is not known."""
    unit = recording.unit_of(word)
    number = list(palette.UNITS).index(unit) if unit in palette.UNITS else -1
    return [f"{word:#010x}", recording.mnemonic(word), recording.assembly(word), number]


def _site(recording: Recorded, place: int) -> list[str]:
    """Who pushed where; the author's line; all of the place in the source."""
    core, pc = pusher(place), pushed_at(place)
    line, source = recording.line(core, pc), recording.source(core, pc)
    name = PUSHERS.get(core, f"core {core}")
    where = f"{name} {pc:#x}" if core in range(4) else line or f"{name} {pc}"
    return [where, line or where, source]


def _loops(found: Numbers) -> dict[str, Numbers]:
    """Where in its MOP's loops a word was emitted: a row of ``roles`` from 1, and iterations."""
    emitted = (found["kind"] == events.MOP_OUT) & (mop_ordinal(found["extra"]) > 0)
    different, index = np.unique(found["length"][emitted], return_inverse=True)
    steps = [unpack_place(place) for place in different.tolist()]
    columns = {
        "role": [1 + MOP_REGISTERS * step.template + step.register for step in steps],
        "outer": [step.outer for step in steps],
        "inner": [step.inner for step in steps],
    }
    made: dict[str, Numbers] = {}
    for name, values in columns.items():
        made[name] = np.zeros(len(found), np.uint8)
        made[name][emitted] = np.array(values, np.uint8)[index.reshape(-1)]
    return made


def _roles() -> list[list[Any]]:
    """Of each template and register: its role, its name, and whether there is an inner loop."""
    return [
        [name, f"MopCfg[{register}]", template > 0]
        for template, names in enumerate(ROLES)
        for register, name in enumerate(names)
    ]


def document(
    recording: Recorded, report: dict[str, Any], listing: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Everything that the page shows; ``report`` is the breakdown and the verdict.

    Its ``results`` are the run's outputs. ``listing``: what the source panel shows, where that is
    known; empty if it comes later.
    """
    columns, rows = tables(recording)
    tracks, levels = states(recording)
    about, pictures = frames(recording)
    outputs, values = results(report.get("results", ()))
    report = {name: value for name, value in report.items() if name != "results"}
    return {
        "name": recording.name,
        "arch": recording.tile.arch.name,
        "end": recording.end,
        "report": _with_units(report),
        **(code(recording.sources, recording.tile.arch.name) if listing is None else listing),
        "results": outputs,
        **json.loads(text_of(__package__, "glossary.json")),
        "notes": recording.sources.notes,
        "kinds": KINDS,
        "threads": THREAD_NAMES,
        "cores": CORE_NAMES,
        "in_reset": CORE_RESET,
        "slots": REPLAY_SLOTS,
        "causes": [*(CAUSES[i] for i in sorted(CAUSES)), AT_REST],
        "core_causes": [*(CORE_CAUSES[i] for i in sorted(CORE_CAUSES)), AT_REST],
        "units": [name.replace("_", " ") for name in palette.UNITS],
        "colours": {
            "units": list(palette.UNITS.values()),
            "causes": palette.CAUSES,
            "cores": palette.CORES,
            "other": palette.OTHER,
        },
        **rows,
        "states": tracks,
        "frames": about,
        "events": packed({**columns, **levels}),
        "pictures": packed(pictures),
        "values": packed(values),
    }


def _with_units(report: dict[str, Any]) -> dict[str, Any]:
    """The breakdown, its units with the number of their colour."""
    if "units" not in report:
        return report
    numbers = {name: i for i, name in enumerate(palette.UNITS)}
    units = [
        {
            **unit,
            "name": unit["name"].replace("_", " "),
            "colour": numbers.get(
                "packers" if unit["name"].startswith("packer") else unit["name"], -1
            ),
        }
        for unit in report["units"]
    ]
    return {**report, "units": units}
