"""What the checker does when a thread's replay expander records words and plays them back.

A slot has an owner: the REPLAY that recorded it. Slots go from owner to owner as programs record
them anew, which is in order if the first owner records its words again before it plays them, or the
other one has recorded the same words.
"""

from typing import Final

from tilelab.check import places
from tilelab.check.accesses import blame, report, report_with, word_of
from tilelab.check.shadow import DST, READERS
from tilelab.check.view import Checking
from tilelab.check.watch import Watch
from tilelab.sim.errors import (
    MachineError,
    NonContractualBehaviorError,
    UnpredictableValueUsedError,
)
from tilelab.sim.fifo import slot
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.vector_unit import load_store
from tilelab.tensix.chips.opcodes import ATGETM, ATRELM, REPLAY, SEMGET, SEMINIT, SEMPOST, SEMWAIT
from tilelab.tensix.frontend import replay_expander
from tilelab.tensix.frontend.replay_expander import (
    PLAY_BACK,
    RECORD,
    RECORD_AND_EXECUTE,
    replay_length,
    replay_start,
)
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.words.origin import mop_ordinal, push_site, pusher, slot_ordinal

WATCH = Watch("replay slots")
SYNCHRONISE: Final = (SEMPOST, SEMGET, SEMWAIT, SEMINIT, ATGETM, ATRELM)
"""Words that others rely on, so that it matters if one is never executed."""
SHORT_TAIL: Final = 2
"""So many words at a recording's end that are not played are a length too large, not a variant."""
PLAYERS: Final = 256
"""REPLAYs that are remembered, of each thread; a power of two."""
ALL_OF_GROUP: Final = 0xFF
"""All lanes of eight."""
SLOTS: Final = 31
"""Mask of a slot's number."""

WATCH.field("slot_origin", "<u8", (THREADS, 32))
WATCH.field("slot_word", "<u4", (THREADS, 32))
WATCH.field("slot_recorded", "u1", (THREADS, 32))
WATCH.field("slot_changed", "<u8", (THREADS, 32))
WATCH.field("slot_pushed", "<u8", (THREADS, 32))  # at which epoch of its pusher the word was
WATCH.field("slot_first", "<u8", (THREADS, 32))
WATCH.field("slot_time", "<u8", (THREADS, 32))  # when it was recorded
WATCH.field("slot_owner", "<u8", (THREADS, 32))  # number of the recording
WATCH.field("slot_used", "u1", (THREADS, 32))  # played back since, with others of its recording
WATCH.field("slot_held", "u1", (THREADS, 32))  # recorded, not executed, and not played since
WATCH.field("slot_user", "<u8", (THREADS, 32))  # by which REPLAY
# where the vector unit last stored, as each slot said: 1 + row and columns
WATCH.field("slot_stored", "<u8", (THREADS, 32))
WATCH.field("slot_stored_at", "<u4", (THREADS, 32))
WATCH.field("recordings", "<u8")
WATCH.field("recording", "<u8", (THREADS,))
WATCH.field("recorder_origin", "<u8", (PLAYERS,))
WATCH.field("recorder_word", "<u4", (PLAYERS,))
WATCH.field("recorder_first", "<u4", (PLAYERS,))
WATCH.field("recorder_length", "<u4", (PLAYERS,))
WATCH.field("recorder_idle", "u1", (PLAYERS,))  # its words were neither executed nor played
# the REPLAY that played as many slots elsewhere since
WATCH.field("missed_origin", "<u8", (PLAYERS,))
WATCH.field("missed_word", "<u4", (PLAYERS,))
# REPLAYs that play back, by place: what each played last
WATCH.field("player_site", "<u8", (THREADS * PLAYERS,))
WATCH.field("player_first", "<u4", (THREADS * PLAYERS,))
WATCH.field("player_owner", "<u8", (THREADS * PLAYERS,))
WATCH.field("player_words", "<u4", (THREADS * PLAYERS,))  # digest of what it played
WATCH.field("expander_time", "<u8")


def _rule(name: str, category: type[MachineError], message: str, other: str, cure: str) -> int:
    """Declare a check of what a REPLAY plays back."""
    place = places.number("replay slot {}")
    return WATCH.rule(name, category, message, other, "REPLAY.md", cure, place=place)


REPLAY_EMPTY: Final = _rule(
    "replay-not-recorded",
    UnpredictableValueUsedError,
    "plays back {where}, which was never recorded",
    "",
    "record the slots first; an init that records them was skipped",
)
REPLAY_CHANGED: Final = _rule(
    "replay-clobbered",
    NonContractualBehaviorError,
    "a MOP plays back {where}, whose word has changed since the MOP was programmed",
    "recorded the new word",
    "record the slots and program the MOP anew (run the init again), or use other slots",
)
REPLAY_TAKEN: Final = _rule(
    "replay-overwritten",
    NonContractualBehaviorError,
    "plays back {where}, which another user of the slots has recorded anew",
    "recorded it",
    "record the slots again before playing them (run the init again), or use other slots",
)
REPLAY_OLD_MOP: Final = _rule(
    "replay-of-old-mop",
    NonContractualBehaviorError,
    "plays back {where}, which holds a word of a MOP that has been programmed anew since",
    "was recorded",
    "record the slots again once the MOP is programmed anew",
)


SWALLOWED: Final = _rule(
    "replay-swallowed",
    NonContractualBehaviorError,
    "records {where}, a word that others wait for or that waits, and nothing ever plays it",
    "recorded it",
    "check the recording's length: it reaches over words that were to be executed",
)
UNPLAYED: Final = WATCH.rule(
    "replay-unplayed",
    NonContractualBehaviorError,
    "records {where}, and nothing ever plays one of them; as many others were played instead",
    "plays others",
    "REPLAY.md",
    "play the slots that were recorded: see the first slot of the one and of the other",
    place=lambda tile, value: (
        f"replay slots {value & SLOTS} to {(value & SLOTS) + (value >> 5) - 1}"
    ),
)


STORED_OVER: Final = WATCH.rule(
    "dst-stored-over",
    NonContractualBehaviorError,
    "stores to {where} as it did when it was played before, and nothing has read that since",
    "recorded it",
    "REPLAY.md",
    "record one word more: the step to the next rows (INCRWC) is no part of what is played",
    place=places.cell,
)


@WATCH.at(load_store.write_group)
@kernel
def stores_over(s: Checking, at: int, wide: int, odd: int, group: int, lanes: int) -> int:
    """The vector unit stores to a row of Dst: where the slot's word did when it was played last?"""
    c = s.shadow
    played = slot_ordinal(c.origin) - 1
    if played < 0 or group or lanes != ALL_OF_GROUP:
        return OK
    before = c.slot_stored[c.row, played]
    same = c.slot_stored_at[c.row, played] == 1 + (at << 1 | odd)
    c.slot_stored[c.row, played] = c.mark
    c.slot_stored_at[c.row, played] = 1 + (at << 1 | odd)
    if not same or word_of(s, before) != c.word or word_of(s, c.writer[DST + at]) != c.word:
        return OK
    for readers in range(READERS):
        if c.reader[DST + at, readers] > before:
            return OK
    by = c.slot_owner[c.row, played] & (PLAYERS - 1)
    return report_with(s, STORED_OVER, DST + at, 1, c.recorder_word[by], c.recorder_origin[by])


@WATCH.at(replay_expander.step_replay_expander)
@kernel
def steps_replay(s: Checking, t: int) -> None:
    """A thread's replay expander takes its turn."""
    c = s.shadow
    f = s.frontend[t]
    if f.gate_full or f.replay_mode == PLAY_BACK or f.late_fifo.count == 0:
        return
    first = slot(f.late_fifo, 0)
    c.gate_epoch[t] = c.late_epoch[t, first]
    if f.replay_mode in (RECORD, RECORD_AND_EXECUTE):
        at = f.replay_index
        word = f.late_fifo.data[first]
        c.expander_time += 1
        if c.slot_held[t, at] and c.slot_word[t, at] >> 24 in SYNCHRONISE:
            swallows(s, t, at)
        if not c.slot_recorded[t, at]:
            c.slot_first[t, at] = c.expander_time
        if not c.slot_recorded[t, at] or f.replay_buffer[at] != word:
            c.slot_changed[t, at] = c.expander_time
            c.slot_pushed[t, at] = c.gate_epoch[t]
        c.slot_recorded[t, at] = 1
        c.slot_origin[t, at] = f.late_fifo.origin[first]
        c.slot_word[t, at] = word
        c.slot_owner[t, at] = c.recording[t]
        c.slot_time[t, at] = c.expander_time
        c.slot_used[t, at] = 0
        c.slot_held[t, at] = 1 if f.replay_mode == RECORD else 0


@WATCH.at(replay_expander.start_replay)
@kernel
def starts_replay(s: Checking, t: int, word: int, origin: int) -> None:
    """A thread's replay expander takes in a REPLAY."""
    c = s.shadow
    at = replay_start(word)
    length = replay_length(word, s.arch.replay_count0)
    if REPLAY.load_mode(word):
        starts_recording(s, t, word, origin)
        return
    programmed = c.mop_written[t]
    fresh = 1 - c.slot_used[t, at]
    owned(s, t, word, origin)
    for _ in range(length):
        c.slot_held[t, at] = 0
        c.recorder_idle[c.slot_owner[t, at] & (PLAYERS - 1)] = 0
        if not c.slot_recorded[t, at]:
            blame(s, t, word, origin)
            report(s, REPLAY_EMPTY, at, 0)
        elif mop_ordinal(origin) and programmed and c.slot_first[t, at] < programmed:
            if c.slot_changed[t, at] > programmed and behind_the_mop(s, t, at):
                blame(s, t, word, origin)
                was = c.slot_word[t, at]
                report_with(s, REPLAY_CHANGED, at, 1, was, c.slot_origin[t, at])
        elif mop_ordinal(c.slot_origin[t, at]) and c.mop_changed[t] > c.slot_time[t, at]:
            blame(s, t, word, origin)
            report_with(s, REPLAY_OLD_MOP, at, 1, c.slot_word[t, at], c.slot_origin[t, at])
        at = (at + 1) & SLOTS
    last = c.recording[t] & (PLAYERS - 1)
    missed = c.recorder_idle[last] and c.recorder_length[last] == length and fresh
    if missed and c.missed_origin[last] == 0:
        c.missed_origin[last] = origin
        c.missed_word[last] = word


@kernel
def behind_the_mop(s: Checking, t: int, at: int) -> int:
    """Whether a slot's word was pushed after its core programmed the MOP.

    One that waits in the FIFO is recorded after that, and belongs to it.
    """
    c = s.shadow
    if pusher(c.slot_origin[t, at]) != t:
        return 1
    return 1 if c.slot_pushed[t, at] >= c.mop_cfg_epoch[t] else 0


@kernel
def starts_recording(s: Checking, t: int, word: int, origin: int) -> None:
    """A REPLAY begins to record: what follows is its own."""
    c = s.shadow
    c.recordings += 1
    c.recording[t] = c.recordings
    at = c.recordings & (PLAYERS - 1)
    c.recorder_origin[at] = origin
    c.recorder_word[at] = word
    c.recorder_first[at] = replay_start(word)
    c.recorder_length[at] = replay_length(word, s.arch.replay_count0)
    c.recorder_idle[at] = 0 if REPLAY.execute_while_loading(word) else 1
    c.missed_origin[at] = 0


@kernel
def owned(s: Checking, t: int, word: int, origin: int) -> int:
    """A REPLAY plays back: are the slots whose they were when it last did, and one owner's?"""
    c = s.shadow
    first = replay_start(word)
    length = replay_length(word, s.arch.replay_count0)
    site = push_site(origin)
    player = t * PLAYERS + ((site >> 2 ^ first) & (PLAYERS - 1))
    owner = c.slot_owner[t, first]
    oldest = owner
    newest = owner
    at = first
    for i in range(length):
        now = c.slot_owner[t, (first + i) & SLOTS]
        oldest = min(oldest, now)
        if now > newest:
            newest = now
            at = (first + i) & SLOTS
    if oldest == 0:
        return OK
    words = digest(s, t, first, length)
    same = c.player_site[player] == site and c.player_first[player] == first
    as_before = same and c.player_words[player] == words
    if oldest != newest:
        stray = c.slot_used[t, at] or reaches_out(s, newest, first, length)
        if not as_before and stray and was_of(s, oldest, at):
            taken(s, t, word, origin, at)
        return OK
    was = c.player_owner[player]
    before = c.recorder_origin[was & (PLAYERS - 1)]
    now_by = c.recorder_origin[owner & (PLAYERS - 1)]
    other = was and was != owner and push_site(before) != push_site(now_by)
    if same and other and not as_before:
        if c.slot_used[t, first] and c.slot_user[t, first] != site:
            return taken(s, t, word, origin, first)
    c.player_site[player] = site
    c.player_first[player] = first
    c.player_owner[player] = owner
    c.player_words[player] = words
    for i in range(length):
        c.slot_used[t, (first + i) & SLOTS] = 1
        c.slot_user[t, (first + i) & SLOTS] = site
    return OK


@kernel
def digest(s: Checking, t: int, first: int, length: int) -> int:
    """What tells the words in slots from others (FNV-1a, word by word).

    Slots that somebody else has recorded anew, but with the same words, are as good as before.
    """
    mixed = 0x811C9DC5
    for i in range(length):
        mixed = ((mixed ^ s.shadow.slot_word[t, (first + i) & SLOTS]) * 0x01000193) & 0xFFFFFFFF
    return mixed


@kernel
def swallows(s: Checking, t: int, at: int) -> int:
    """Report a slot whose word was recorded, and neither executed nor played before the next."""
    c = s.shadow
    blame(s, t, c.slot_word[t, at], c.slot_origin[t, at])
    by = c.slot_owner[t, at] & (PLAYERS - 1)
    return report_with(s, SWALLOWED, at, 1, c.recorder_word[by], c.recorder_origin[by])


@kernel
def reaches_out(s: Checking, recording: int, first: int, length: int) -> int:
    """Whether a recording has slots outside of those that are played, so is no patch of them."""
    c = s.shadow
    number = recording & (PLAYERS - 1)
    begin = c.recorder_first[number] - first & SLOTS
    return 1 if begin + c.recorder_length[number] > length else 0


@kernel
def was_of(s: Checking, recording: int, at: int) -> int:
    """Whether a slot was among those of an earlier recording."""
    c = s.shadow
    number = recording & (PLAYERS - 1)
    return 1 if (at - c.recorder_first[number] & SLOTS) < c.recorder_length[number] else 0


@kernel
def taken(s: Checking, t: int, word: int, origin: int, at: int) -> int:
    """Report that a slot is played back that somebody else has recorded anew, and uses."""
    c = s.shadow
    blame(s, t, word, origin)
    by = c.slot_owner[t, at] & (PLAYERS - 1)
    return report_with(s, REPLAY_TAKEN, at, 1, c.recorder_word[by], c.recorder_origin[by])
