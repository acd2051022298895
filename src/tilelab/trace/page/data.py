"""A recording as the page's script wants it: columns of numbers, packed, and tables of words."""

import base64
import gzip
from typing import Any

import numpy as np
import numpy.typing as npt

from tilelab.tensix.cycle import events
from tilelab.tensix.cycle.causes import CAUSES, CORE_CAUSES
from tilelab.tensix.explain import SEMAPHORE_NAMES
from tilelab.tensix.frontend.origin import CORE_NAMES as PUSHERS
from tilelab.tensix.frontend.origin import ROLES
from tilelab.trace.page.frames import frames
from tilelab.trace.recording import CORE_NAMES, THREAD_NAMES, Recording

WORD_KINDS = (
    events.ISSUE,
    events.MOP_OUT,
    events.REPLAY_OUT,
    events.RECORD_SLOT,
    events.PUSH,
)

Numbers = npt.NDArray[Any]


def packed(columns: dict[str, Numbers]) -> dict[str, Any]:
    """Columns as one compressed text, and where each begins."""
    data = b""
    places: dict[str, list[Any]] = {}
    for name, column in columns.items():
        data += b"\0" * (-len(data) % 4)
        places[name] = [column.dtype.str[1:], len(data), len(column)]
        data += column.tobytes()
    return {"places": places, "data": base64.b64encode(gzip.compress(data, 6)).decode()}


def tables(recording: Recording) -> tuple[dict[str, Numbers], list[Any], list[Any]]:
    """Columns of events, the words in them, and the places that pushed them."""
    found = recording.events
    kind, value, extra = found["kind"], found["value"].astype(np.uint32), found["extra"]
    has_word = np.isin(kind, WORD_KINDS)
    words, index = np.unique(value[has_word], return_inverse=True)
    shown = value.copy()
    shown[has_word] = index
    pushes = kind == events.PUSH
    site = (extra & 0x0700_0000_FFFF_FFFF).copy()
    site[pushes] = found["part"][pushes].astype(np.uint64) << 56 | extra[pushes]
    is_site = has_word | (kind == events.CORE)
    site[kind == events.CORE] |= found["part"][kind == events.CORE].astype(np.uint64) << 56
    places, site_index = np.unique(site[is_site], return_inverse=True)
    where = extra.astype(np.uint32)
    where[is_site] = site_index
    steps = np.where(has_word & ~pushes, extra >> 32 & 0xFFFF, 0)
    slots = np.where(has_word & ~pushes, extra >> 48 & 0x3F, 0)
    slots = np.where(kind == events.RECORD_SLOT, found["length"], slots)
    chain = recording.links.made_by
    back = np.where(chain >= 0, np.arange(len(found)) - chain, 0)
    place = np.where(kind == events.MOP_OUT, found["length"], 0)
    columns: dict[str, Numbers] = {
        "clock": found["clock"].astype(np.uint32),
        "kind": kind.astype(np.uint8),
        "part": found["part"].astype(np.uint8),
        "value": shown,
        "length": np.where(kind == events.ISSUE, found["length"], 0).astype(np.uint16),
        "site": where,
        "step": steps.astype(np.uint16),
        "slot": slots.astype(np.uint8),
        "back": back.astype(np.uint32),
        "place": place.astype(np.uint32),
    }
    word_rows = [
        [
            f"{word:#010x}",
            recording.mnemonic(word),
            recording.assembly(word),
            recording.unit_of(word),
        ]
        for word in words.tolist()
    ]
    site_rows = [_site(recording, place) for place in places.tolist()]
    return columns, word_rows, site_rows


def _site(recording: Recording, place: int) -> list[Any]:
    core, pc = place >> 56 & 7, place & 0xFFFFFFFF
    return [PUSHERS.get(core, f"core {core}"), pc, recording.source(core, pc)]


def document(recording: Recording, report: dict[str, Any]) -> dict[str, Any]:
    """Everything that the page shows; ``report`` is the breakdown and the verdict."""
    columns, words, sites = tables(recording)
    about, pictures = frames(recording)
    state = recording.tile.state
    return {
        "name": recording.name,
        "arch": recording.tile.arch.name,
        "end": recording.end,
        "report": report,
        "threads": THREAD_NAMES,
        "cores": CORE_NAMES,
        "roles": ROLES,
        "causes": [CAUSES[i] for i in sorted(CAUSES)],
        "core_causes": [CORE_CAUSES[i] for i in sorted(CORE_CAUSES)],
        "semaphores": [SEMAPHORE_NAMES[i] for i in range(8)],
        "waits": _waits(recording),
        "words": words,
        "sites": sites,
        "frames": about,
        "dst32": state.config_field("ALU_ACC_CTRL_Fp32_enabled"),
        "events": packed(columns),
        "pictures": packed(pictures),
    }


def _waits(recording: Recording) -> dict[int, str]:
    """What a gate's latched wait can wait for, by the number in the event."""
    gates = recording.of(events.GATE)
    causes = {
        (value, extra): recording.gate_cause(value, extra)
        for value, extra in set(zip(gates["value"].tolist(), gates["extra"].tolist(), strict=True))
    }
    return {value << 8 | extra: name for (value, extra), name in causes.items()}
