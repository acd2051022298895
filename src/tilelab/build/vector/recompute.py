"""Computes a value again where it is used, so that no LReg has to hold it in the meantime.

Or loads it again from Dst, where nothing between may have changed Dst there or the counter that is
added to addresses.
"""

from tilelab.build.vector.code import CONST, COPY, LREGS, RAW, Block, Function, Op, Text, is_pure
from tilelab.build.vector.configured import set_after
from tilelab.build.vector.constraints import in_enabled_lanes
from tilelab.build.vector.raw import issues_nothing
from tilelab.build.vector.regions import Regions, find_regions

LONGEST = 6
"""How many operations a value may take that is computed again."""
STEP, DST = 2, 512
"""Vectors of Dst are two addresses apart; after this many, addresses may mean the same again."""


def recompute(function: Function, alive: set[int], needed: set[int], first_new: int) -> bool:
    """Compute one of the values ``alive`` again before each of its uses; whether there was one.

    ``needed`` are those that the place reads where so many are alive. What a value is made of must
    be alive there anyway, be a constant, or be computed with it. Values from ``first_new`` on are
    from here, and stay.
    """
    search = _Search(function, alive)
    chains = [search.chain(value) for value in alive - needed if value < first_new]
    chains = [chain for chain in chains if chain]
    chains = [chain for chain in chains if search.may_move(chain)]
    if not chains:
        return False
    _before_each(function, min(chains, key=search.cost))
    return True


class _Search:
    def __init__(self, function: Function, alive: set[int]) -> None:
        self.function = function
        self.definitions, self.users = function.definitions(), function.users()
        self.blocks = {op: block for block in function.blocks for op in block.ops()}
        self.alive = alive
        self.regions: Regions = find_regions(function)

    def only(self, value: int) -> Op | None:
        made = self.definitions.get(value, [])
        return made[0] if len(made) == 1 else None

    def free(self, value: int) -> bool:
        """Whether a value takes no LReg that was not taken anyway."""
        made = self.only(value)
        constant = made is not None and made.name == CONST and not made.ins
        return value in self.alive or constant or LREGS <= value < 16

    def chain(self, value: int) -> list[Op]:
        """The operations that make a value out of free ones; none if that does not go."""
        chain: list[Op] = []
        todo = [value]
        while todo:
            op = self.only(todo.pop())
            if op is None or not self._again(op) or len(chain) == LONGEST:
                return []
            if op not in chain:
                chain.append(op)
                todo += [r for r in op.reads if not self.free(r)]
        place = self.blocks[chain[0]]
        if any(self.blocks[op] is not place for op in chain):
            return []
        return sorted(chain, key=place.nodes.index)

    def cost(self, chain: list[Op]) -> tuple[int, int]:
        """How many operations come of it; which is first in the text does not matter."""
        (value,) = chain[-1].writes
        return len(chain) * len(self.users[value]), value

    def may_move(self, chain: list[Op]) -> bool:
        """Whether all uses are for enabled lanes, and sources stay what they are until then."""
        (value,) = chain[-1].writes
        readers = self.users.get(value, [])
        if not readers or not all(
            in_enabled_lanes(each, value, self.regions.before[each]) for each in readers
        ):
            return False
        made = {w for op in chain for w in op.writes}
        sources = {r for op in chain for r in op.reads} - made
        block = self.blocks[chain[0]]
        loads = [op for op in chain if op.name == "SFPLOAD"]
        if not loads and all(LREGS <= r < 16 for r in sources):
            return not sources & set_after(self.function, block, chain[0])
        return self._stay(block, chain[0], readers, sources) and all(
            self._in_dst(block, load, readers) for load in loads
        )

    def _in_dst(self, block: Block, load: Op, readers: list[Op]) -> bool:
        """Whether a load of Dst finds the same at each of its uses, which are in its block."""
        at, last = block.nodes.index(load), max(block.nodes.index(each) for each in readers)
        return all(self._leaves_dst(node, load) for node in block.nodes[at + 1 : last])

    def _leaves_dst(self, node: Op | Text, load: Op) -> bool:
        if isinstance(node, Text):
            return not node.call and issues_nothing(node.text)
        if node.name not in ("SFPLOAD", "SFPSTORE"):
            return node.name != RAW
        if node.imm.get("sfpu_addr_mode") != self.function.still:
            return False
        if node.name == "SFPLOAD":
            return True
        apart = (node.imm.get("dest_reg_addr", 0) - load.imm["dest_reg_addr"]) % DST
        alike = node.imm["instr_mod0"] == load.imm["instr_mod0"]
        return not node.runtime and alike and STEP <= apart <= DST - STEP

    def _again(self, op: Op) -> bool:
        if op.name == "SFPLOAD":
            plain = op.imm.get("sfpu_addr_mode") == self.function.still and not op.runtime
            return plain and not op.reads
        return _again(op)

    def _stay(self, block: Block, first: Op, readers: list[Op], sources: set[int]) -> bool:
        """The same for uses in the block, up to the last."""
        if any(r >= 16 and self.only(r) is None for r in sources):
            return False
        ops = [node for node in block.nodes if isinstance(node, Op)]
        after = ops[ops.index(first) + 1 :]
        if any(reader not in after for reader in readers):
            return False
        passed = after[: max(after.index(reader) for reader in readers)]
        set_here = {each.imm["config_dest"] for each in passed if each.name == "SFPCONFIG"}
        return not any((each.writes | set_here) & sources for each in passed)


def _again(op: Op) -> bool:
    if op.name == COPY:
        return LREGS <= op.ins["s"] < 16
    return (
        is_pure(op)
        and len(op.outs) == 1
        and not (op.runtime or op.sets_flags or op.fixed_in or op.fixed_out)
        and "merge" not in op.ins
        and not op.keeps_lanes
        and not op.reads & op.writes
    )


def _before_each(function: Function, chain: list[Op]) -> None:
    (value,) = chain[-1].writes
    for block in function.blocks:
        nodes: list[Op | Text] = []
        for node in block.nodes:
            if node is chain[-1]:
                continue
            if isinstance(node, Op) and value in node.reads:
                names = {w: function.new_value() for op in chain for w in op.writes}
                for op in chain:
                    copied = Op(op.name, dict(op.outs), dict(op.ins), dict(op.imm), place=op.place)
                    copied.rename(names)
                    nodes.append(copied)
                node.replace(value, names[value])
            nodes.append(node)
        block.nodes = nodes
