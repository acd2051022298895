"""Words that the source issues itself, between the vector unit's C++: what LRegs they touch."""

from tilelab.build.vector.code import LREGS, RAW, Op
from tilelab.isa.instruction import InstructionSet

ALL = frozenset(range(LREGS))
_ONLY_WRITES = {"SFPLOAD", "SFPLOADI"}
_FLAGS = {"SFPSETCC", "SFPENCC", "SFPPUSHC", "SFPPOPC", "SFPCOMPC", "SFPLE", "SFPGT"}
_MAY_SET_FLAGS = {"SFPIADD": 4, "SFPLZ": -2, "SFPEXEXP": -10}
_EVERYTHING = {"SFPLOADMACRO", "SFPTRANSP"}
_ROTATES = (0, 1, 2)
"""Modes of SFPSHFT2 that move LReg[0..3]; the others have operands."""
_TABLES = {"SFPLUT": range(4), "SFPLUTFP32": range(7), "SFPCONFIG": range(1)}


DIRECTIVES = (".word", ".ttinsn")
"""A word as it stands in memory, rotated; and as it is."""


def decode_raw(directive: str, texts: list[str], rows: InstructionSet) -> Op | None:
    """The operation that a directive makes if it is one of the vector unit's or expands."""
    try:
        word = int("".join(texts), 0) & 0xFFFFFFFF
    except ValueError:
        # a word in a register may be any of them
        everything = {f"in{i}": i for i in ALL}
        return Op(RAW, clobbers=ALL, ins=everything) if directive == ".ttinsn" else None
    if directive == ".word":
        if word & 3 == 3:
            return None
        word = word >> 2 | (word & 3) << 30
    row = rows.find(word)
    if row is None or not (row.name.startswith("SFP") or row.name in ("REPLAY", "MOP")):
        return None
    op = Op(RAW, word=word)
    fields = row.decode(word)
    if row.name in ("REPLAY", "MOP"):
        op.clobbers = frozenset() if fields.get("load_mode") else ALL
        return op
    if row.name in _EVERYTHING:
        op.clobbers = ALL
        op.ins = {f"in{i}": i for i in ALL}
        return op
    mod1 = fields.get("instr_mod1", 0)
    if row.name == "SFPSHFT2":
        if mod1 in _ROTATES:
            op.outs = {f"moved{i}": i for i in range(4)}
            op.ins = dict(op.outs)
        elif mod1 in (5, 6):
            op.ins["shifted"] = word >> 12 & 15
    op.sets_flags = row.name in _FLAGS or _sets_flags(row.name, mod1)
    for name, value in fields.items():
        if name.startswith("lreg_") and value < LREGS:
            if name in ("lreg_dest", "lreg_ind") and row.name != "SFPSTORE":
                op.outs[name] = value
                if row.name in _ONLY_WRITES and fields.get("instr_mod0", 0) < 8:
                    continue
            op.ins[name] = value
    if row.name == "SFPSWAP" and fields["lreg_src_c"] < LREGS:
        op.outs["lreg_src_c"] = fields["lreg_src_c"]
    for n in _TABLES.get(row.name, ()):
        op.ins[f"table{n}"] = n
    return op


def _sets_flags(name: str, mod1: int) -> bool:
    if name == "SFPIADD":
        return not mod1 & 4
    if name == "SFPLZ":
        return bool(mod1 & 2)
    return name == "SFPEXEXP" and bool(mod1 & 10)
