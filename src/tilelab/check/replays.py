"""What the checker does when a thread's replay expander records words and plays them back.

A slot has an owner: the REPLAY that recorded it. Slots go from owner to owner as programs record
them anew, which is in order if the first owner records its words again before it plays them, or the
other one has recorded the same words.
"""

from typing import Final

from tilelab.check.accesses import report, report_with
from tilelab.check.rules import (
    REPLAY_CHANGED,
    REPLAY_EMPTY,
    REPLAY_OLD_MOP,
    REPLAY_TAKEN,
)
from tilelab.check.shadow import EPOCH_SHIFT, ISSUE_ACTOR, PLAYERS
from tilelab.check.view import Checking
from tilelab.sim.fifo import slot
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chips.opcodes import REPLAY
from tilelab.tensix.frontend.replay_expander import (
    PLAY_BACK,
    RECORD,
    RECORD_AND_EXECUTE,
    replay_length,
    replay_start,
)
from tilelab.tensix.words.origin import mop_ordinal, push_site, pusher

SLOTS: Final = 31
"""Mask of a slot's number."""


@kernel
def steps_replay(s: Checking, t: int) -> int:
    """A thread's replay expander takes its turn."""
    c = s.shadow
    f = s.frontend[t]
    if f.gate_full or f.replay_mode == PLAY_BACK or f.late_fifo.count == 0:
        return OK
    first = slot(f.late_fifo, 0)
    c.gate_epoch[t] = c.late_epoch[t, first]
    if f.replay_mode in (RECORD, RECORD_AND_EXECUTE):
        at = f.replay_index
        word = f.late_fifo.data[first]
        c.expander_time = c.expander_time + 1
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
    return OK


@kernel
def starts_replay(s: Checking, t: int, word: int, origin: int) -> int:
    """A thread's replay expander takes in a REPLAY."""
    c = s.shadow
    at = replay_start(word)
    length = replay_length(word, s.arch.replay_count0)
    if REPLAY.load_mode(word):
        return starts_recording(s, t, word, origin)
    programmed = c.mop_cfg_time[t, 9]
    owned(s, t, word, origin)
    for _ in range(length):
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
    return OK


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
def starts_recording(s: Checking, t: int, word: int, origin: int) -> int:
    """A REPLAY begins to record: what follows is its own."""
    c = s.shadow
    c.recordings = c.recordings + 1
    c.recording[t] = c.recordings
    at = c.recordings & (PLAYERS - 1)
    c.recorder_origin[at] = origin
    c.recorder_word[at] = word
    c.recorder_first[at] = replay_start(word)
    c.recorder_length[at] = replay_length(word, s.arch.replay_count0)
    return OK


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
        if not as_before and c.slot_used[t, at] and was_of(s, oldest, at):
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


@kernel
def blame(s: Checking, t: int, word: int, origin: int) -> int:
    """It is a word of a thread's expanders that acts now."""
    c = s.shadow
    c.origin = origin
    c.word = word
    c.mark = c.now << EPOCH_SHIFT | ISSUE_ACTOR | t
    return OK
