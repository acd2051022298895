"""Where LReg[4..7] are no place for values: ENABLE_DEST_INDEX makes them the indices of LReg[0..3].

While it is set, SFPSWAP exchanges them with their values, and another instruction's result in one
of them is corrupted (erratum TEN-2932). The source's own words set it.
"""

from tilelab.build.vector.code import LREGS, RAW, Function, Op

INDICES = frozenset(range(4, LREGS))


def indexed(function: Function) -> set[Op]:
    """The operations at which the function's own words may have set it."""
    blocks = function.blocks
    starts = [False] * len(blocks)
    found: set[Op] = set()
    work = [*range(len(blocks))]
    while work:
        i = work.pop()
        on = starts[i]
        for op in blocks[i].ops():
            if op.indexes is not None:
                on = op.indexes
            elif on:
                found.add(op)
        for n in blocks[i].next:
            if on and not starts[n]:
                starts[n] = True
                work.append(n)
    return found


def words_keep_nothing(function: Function, kept: set[int]) -> None:
    """Let no LReg be alive for the source's words alone, as by the vendor's compiler."""
    own = function.own_lregs() | kept
    for op in function.ops():
        if op.name == RAW:
            op.ins = {field: n for field, n in op.ins.items() if n in own}
