"""Tells values apart: a compiler's register names become values, one for each web of uses.

A value is what one definition gives, together with all others that reach a common use.
"""

from tilelab.build.vector.code import COPY, RAW, Function, Op, VectorError

_UNSET = "a vector value is used that nothing here has set; let functions be inlined"
_Reaching = dict[int, frozenset[int]]


class _Webs:
    """Sets of definitions, joined where a use sees several."""

    def __init__(self) -> None:
        self.parent: list[int] = []

    def new(self) -> int:
        self.parent.append(len(self.parent))
        return len(self.parent) - 1

    def find(self, x: int) -> int:
        while self.parent[x] != x:
            self.parent[x] = self.parent[self.parent[x]]
            x = self.parent[x]
        return x

    def join(self, x: int, y: int) -> None:
        self.parent[self.find(x)] = self.find(y)


def number_values(function: Function) -> None:
    """Rename the registers of all operations (but RAW) from names to values.

    VectorError for a value that is used but set nowhere.
    """
    webs = _Webs()
    made: dict[tuple[int, int], int] = {}  # (operation, register) -> definition
    ends: list[_Reaching] = []
    for block in function.blocks:
        last: _Reaching = {}
        for op in block.ops():
            if op.name == RAW:
                continue
            for register in op.writes:
                made[id(op), register] = webs.new()
                last[register] = frozenset({made[id(op), register]})
        ends.append(last)
    starts = _reaching(function, ends)
    renamed: list[tuple[Op, dict[int, int], dict[int, int]]] = []
    for block, start in zip(function.blocks, starts, strict=True):
        here = dict(start)
        for op in block.ops():
            if op.name == RAW:
                continue
            reads = {}
            for register in op.reads:
                if not (seen := here.get(register)):
                    raise VectorError(op.place, _UNSET)
                first, *others = seen
                for other in others:
                    webs.join(first, other)
                reads[register] = first
            writes = {register: made[id(op), register] for register in op.writes}
            here |= {register: frozenset({d}) for register, d in writes.items()}
            renamed.append((op, reads, writes))
    _rename(function, webs, renamed)


def _reaching(function: Function, ends: list[_Reaching]) -> list[_Reaching]:
    """The definitions of each register that reach each block's start."""
    starts: list[_Reaching] = [{} for _ in function.blocks]
    changed = True
    while changed:
        changed = False
        for i, block in enumerate(function.blocks):
            out = {**starts[i], **ends[i]}
            for n in block.next:
                for register, seen in out.items():
                    if not seen <= starts[n].get(register, frozenset()):
                        starts[n][register] = starts[n].get(register, frozenset()) | seen
                        changed = True
    return starts


def _rename(
    function: Function, webs: _Webs, renamed: list[tuple[Op, dict[int, int], dict[int, int]]]
) -> None:
    values: dict[int, int] = {}

    def value(definition: int) -> int:
        web = webs.find(definition)
        if web not in values:
            values[web] = function.new_value()
        return values[web]

    for op, reads, writes in renamed:
        op.ins = {k: value(reads[v]) for k, v in op.ins.items()}
        op.fixed_in = {k: value(reads[v]) for k, v in op.fixed_in.items()}
        op.outs = {k: value(writes[v]) for k, v in op.outs.items()}
        op.fixed_out = {k: value(writes[v]) for k, v in op.fixed_out.items()}


def forward_copies(function: Function) -> None:
    """Read through copies of values that are set once."""
    definitions = function.definitions()
    through = {}
    for op in function.ops():
        if op.name == COPY:
            d, s = op.outs["d"], op.ins["s"]
            if len(definitions[d]) == 1 and len(definitions.get(s, ())) == 1:
                through[d] = s
    for op in function.ops():
        for register in op.reads:
            target = register
            while target in through:
                target = through[target]
            if target != register:
                op.replace(register, target)
