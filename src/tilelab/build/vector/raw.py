"""Words that the source issues itself, between the vector unit's C++: what LRegs they touch."""

import re

from tilelab.build.vector.code import LREGS, RAW, Op
from tilelab.isa.instruction import InstructionSet
from tilelab.tensix.words.ttinsn import from_ttinsn

ALL = frozenset(range(LREGS))
_WORD = re.compile(r"^\s*(\.word|\.ttinsn)\s+(-?\w+)\s*(?:#.*)?$")
_COMPUTES = re.compile(
    r"^\s*(?:(?:#|//|\.(?!word|ttinsn)).*|(?:lui|li|mv|addi?|andi?|xori?|ori?|s[lr][la]i?"
    r"|sub|zext\.\w|lw|lbu?|lhu?)\s.*|[.\w$]+:.*)?$"
)
"""Lines that issue no word: directives, comments, labels, what is computed on the core."""
_STORES = re.compile(r"^\s*(?:s[bhw]|amo[\w.]+)\s[^(]*\((?!sp\))")
_ONLY_WRITES = {"SFPLOAD", "SFPLOADI"}
_OVERWRITES = {
    *("SFPMOV", "SFPMAD", "SFPADD", "SFPMUL", "SFPABS", "SFPEXEXP", "SFPEXMAN", "SFPLZ"),
    *("SFPCAST", "SFPNOT", "SFPARECIP", "SFPMUL24", "SFP_STOCH_RND"),
}
"""What VD held stays in lanes that are not enabled, and is not read otherwise."""
_ONLY_FLAGS = {"SFPENCC", "SFPPUSHC", "SFPPOPC", "SFPCOMPC"}
"""What uses no LReg, whatever fields it has for some."""
_NO_RESULT = {"SFPSTORE", "SFPSETCC"}
_FLAGS = {*_ONLY_FLAGS, "SFPSETCC", "SFPLE", "SFPGT"}
_QUADS = (frozenset(range(4)), frozenset(range(4, 8)))
"""SFPTRANSP moves values within each."""
_ROTATES = (0, 1, 2)
"""Modes of SFPSHFT2 that move LReg[0..3]; the others have operands."""
_TABLES = {"SFPLUT": range(4), "SFPLUTFP32": range(7), "SFPCONFIG": range(1)}

_IMMEDIATE, _IMMEDIATE_TO = 1, (4, 5, 6, 7, 8, 15)
"""SFPCONFIG's mode in which the value is in the word, not in LReg[0]; and for what it has it."""

_LANE_CONFIG, _ENABLE_DEST_INDEX = 15, 4

DIRECTIVES = (".word", ".ttinsn")
"""A word as it stands in memory, rotated; and as it is."""


def issues_nothing(line: str) -> bool:
    """Whether a line of assembly issues no word, and stores none: the core's own arithmetic."""
    return _COMPUTES.match(line) is not None


def may_issue(line: str) -> bool:
    """Whether a line stores what may be a word: anywhere but on the stack."""
    return _STORES.match(line) is not None


def only_recorded(lines: list[str], rows: InstructionSet, targets: set[str]) -> set[int]:
    """The lines whose words a REPLAY before them records, and does not execute.

    None of a recording that is not whole in front of us: if something else than words and the
    core's own arithmetic comes before its end, or a label of ``targets``, which are jumped to.
    """
    found: set[int] = set()
    for start, line in enumerate(lines):
        if start in found or not (count := _recorded_words(line, rows)):
            continue
        within: list[int] = []
        for i in range(start + 1, len(lines)):
            if len(within) == count:
                found.update(within)
                break
            if word_of(lines[i]) is not None:
                within.append(i)
            elif not issues_nothing(lines[i]) or lines[i].partition(":")[0] in targets:
                break
    return found


def _recorded_words(line: str, rows: InstructionSet) -> int:
    """How many words a line's REPLAY records without executing them; 0 if it does not."""
    word = word_of(line)
    if word is None or (row := rows.find(word)) is None or row.name != "REPLAY":
        return 0
    fields = row.decode(word)
    return fields["len"] if fields["load_mode"] and not fields["execute_while_loading"] else 0


def word_of(line: str) -> int | None:
    """The instruction that a line of assembly issues as a word, if it is one."""
    found = _WORD.match(line)
    try:
        return _word(found[1], found[2]) if found else None
    except ValueError:
        return None


def _word(directive: str, number: str) -> int | None:
    """The instruction that a directive makes; None for one of the core's.

    ValueError for what is no number.
    """
    word = int(number, 0) & 0xFFFFFFFF
    if directive == ".word":
        return None if word & 3 == 3 else from_ttinsn(word)
    return word


def decode_raw(directive: str, texts: list[str], rows: InstructionSet) -> Op | None:
    """The operation that a directive makes if it is one of the vector unit's or expands."""
    try:
        word = _word(directive, "".join(texts))
    except ValueError:
        # a word in a register may be any of them
        everything = {f"in{i}": i for i in ALL}
        unknown = Op(RAW, clobbers=ALL, ins=everything, runs_others=True)
        return unknown if directive == ".ttinsn" else None
    if word is None:
        return None
    row = rows.find(word)
    if row is None or not (row.name.startswith("SFP") or row.name in ("REPLAY", "MOP")):
        return None
    op = Op(RAW, word=word)
    fields = row.decode(word)
    if row.name in ("REPLAY", "MOP"):
        op.runs_others = not fields.get("load_mode")
        op.clobbers = ALL if op.runs_others else frozenset()
        return op
    if row.name == "SFPLOADMACRO":
        op.clobbers, op.runs_others = ALL, True
        op.ins = {f"in{i}": i for i in ALL}
        return op
    if row.name == "SFPTRANSP":
        _move(op, _QUADS)
        return op
    mod1 = fields.get("instr_mod1", 0)
    if row.name == "SFPSHFT2":
        if mod1 in _ROTATES:
            _move(op, _QUADS[:1])
        elif mod1 in (5, 6):
            op.ins["shifted"] = word >> 12 & 15
    op.sets_flags = row.name in _FLAGS or _sets_flags(row.name, mod1)
    if row.name in _ONLY_FLAGS:
        return op
    for name, value in fields.items():
        if name.startswith("lreg_") and value < LREGS:
            if name in ("lreg_dest", "lreg_ind") and row.name not in _NO_RESULT:
                op.outs[name] = value
                if row.name in _ONLY_WRITES and fields.get("instr_mod0", 0) < 8:
                    continue
                if row.name in _OVERWRITES:
                    op.ins["merge"] = value
                    continue
            op.ins[name] = value
    if row.name == "SFPSWAP" and fields["lreg_src_c"] < LREGS:
        op.outs["lreg_src_c"] = fields["lreg_src_c"]
    if row.name == "SFPCONFIG" and mod1 & _IMMEDIATE and fields["config_dest"] in _IMMEDIATE_TO:
        if fields["config_dest"] == _LANE_CONFIG:
            op.indexes = bool(fields["imm16_math"] & _ENABLE_DEST_INDEX) if mod1 == 1 else None
        return op
    for n in _TABLES.get(row.name, ()):
        op.ins[f"table{n}"] = n
    return op


def _move(op: Op, groups: tuple[frozenset[int], ...]) -> None:
    op.moves = groups
    op.outs = {f"moved{i}": i for group in groups for i in group}
    op.ins = dict(op.outs)


def _sets_flags(name: str, mod1: int) -> bool:
    if name == "SFPIADD":
        return not mod1 & 4
    if name == "SFPLZ":
        return bool(mod1 & 2)
    return name == "SFPEXEXP" and bool(mod1 & 10)
