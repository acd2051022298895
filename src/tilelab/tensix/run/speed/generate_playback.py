"""Writes the functions of what replay expanders play back often, as kernel Python.

Such a function issues words that are constants, with the kernels that ``streams.stream`` calls,
so LLVM takes fields apart, asks prologues and counts what was issued before it ever runs. It issues
word after word, as long as ``stream`` would go straight on to the next one.
"""

from types import FunctionType

from tilelab.tensix.arch import Arch
from tilelab.tensix.backend import SEMANTICS
from tilelab.tensix.chips.opcodes import MOP, MOP_CFG, REPLAY
from tilelab.tensix.run.polls.polling import SHOWS
from tilelab.tensix.run.rounds import condition_met, issued
from tilelab.tensix.run.speed.generate import NAMES, issue
from tilelab.tensix.run.speed.playbacks import ISSUED_BITS
from tilelab.tensix.run.speed.source_text import Source


def can_be_played(arch: Arch, words: tuple[int, ...]) -> bool:
    """Whether words may have a function: each has a row, and none is for an expander."""
    rows = arch.instructions
    return all(
        word >> 24 not in (MOP, MOP_CFG, REPLAY) and rows.find(word) is not None for word in words
    )


def playback_source(arch: Arch, t: int, words: tuple[int, ...]) -> Source:
    """The text of ``playback(s)``: it issues words that a thread plays back.

    It returns how many it has issued, and above ISSUED_BITS what the next one returned if that
    waits or fails. The round of the last one is not ended; if there is a code, it is.
    """
    source = Source()
    source.names |= NAMES | {"condition_met": condition_met, "issued": issued}
    numbers = {word: i for i, word in enumerate(dict.fromkeys(words))}
    for word, i in numbers.items():
        row = arch.instructions.find(word)
        assert row is not None
        lines = issue(source, row, SEMANTICS[arch.name].get(row.name))
        source.add("@kernel", f"def word_{i}(s, t):", f"    word = {word:#010x}")
        source.add(*(f"    {line}" for line in lines), "", "")
    source.add("@kernel", "def playback(s):")
    source.add(f"    f = s.frontend[{t}]", "    effects = s.effects")
    # stream has seen to these; here they tell LLVM
    source.add("    if f.wait.kind or s.engine.trace_on or s.vector.load_macro.busy:")
    source.add("        return 0")
    for i, word in enumerate(words):
        source.add(f"    code = word_{numbers[word]}(s, {t})", "    if code != OK:")
        source.add(f"        return {i} | code << {ISSUED_BITS}")
        source.add(f"    issued(s, {t}, {word:#010x}, 0)")
        if i < len(words) - 1:
            ends = [*_ends(arch, word), "s.effects != effects", "f.wait.kind"]
            source.add(f"    if {' or '.join(ends)}:", f"        return {i + 1}")
            source.add("    s.clock = s.clock + 1")
    source.add(f"    return {len(words)}")
    return source


def _ends(arch: Arch, word: int) -> list[str]:
    """What ends a playback after a word, by the kind of word."""
    ends = []
    if SHOWS[word >> 24]:
        ends += ["condition_met(s)", "(s.engine.polling and s.engine.shown)"]
    if not arch.vector.first <= word >> 24 <= arch.vector.last:
        ends += ["s.vector.load_macro.busy"]
    return ends


def playback(arch: Arch, t: int, words: tuple[int, ...]) -> tuple[FunctionType, list[FunctionType]]:
    """``playback(s)`` for a thread's words, and the functions of its words."""
    made = playback_source(arch, t, words).compile(f"<tilelab playback {arch.name}>")
    return made["playback"], [made[name] for name in made if name.startswith("word_")]
