"""What may be computed again or earlier so that eight LRegs do, and what may not."""

import pytest

from tilelab.build.vector.code import Block, Function, Op, VectorError
from tilelab.build.vector.liveness import Interference, live_out
from tilelab.build.vector.pipeline import allocate
from tilelab.build.vector.recompute import recompute
from tilelab.build.vector.reorder import make_room
from tilelab.build.vector.sink import sink

NEAREST, RANDOM = 0, 1
"""Modes of SFPCAST."""


def load(d: int) -> Op:
    return Op("SFPLOAD", {"lreg_dest": d}, imm={"dest_reg_addr": d})


def cast(d: int, s: int, mode: int) -> Op:
    return Op("SFPCAST", {"lreg_dest": d}, {"lreg_src_c": s}, {"instr_mod1": mode})


def product(d: int, a: int, b: int) -> Op:
    return Op("SFPMUL", {"lreg_dest": d}, {"lreg_src_a": a, "lreg_src_b": b, "lreg_src_c": 9})


def store(s: int) -> Op:
    return Op("SFPSTORE", ins={"lreg_dest": s}, imm={"dest_reg_addr": s})


def function_of(ops: list[Op]) -> Function:
    values = 1 + max(r for op in ops for r in op.reads | op.writes)
    return Function("f", [Block([*ops], leaves=True)], values)


def casts(function: Function) -> list[int]:
    return [op.imm["instr_mod1"] for op in function.ops() if op.name == "SFPCAST"]


@pytest.mark.parametrize(("mode", "again"), [(NEAREST, True), (RANDOM, False)])
def test_a_value_of_random_bits_is_never_computed_again(mode: int, again: bool) -> None:
    """Its uses would see different numbers."""
    ops = [load(16), cast(17, 16, mode), store(17), product(18, 16, 16), store(18), store(17)]
    function = function_of([*ops, store(16)])
    assert recompute(function, alive={16, 17}, needed={16}, first_new=19) == again
    assert casts(function) == [mode] * (2 if again else 1)


@pytest.mark.parametrize(("mode", "moves"), [(NEAREST, True), (RANDOM, False)])
def test_random_bits_are_taken_where_the_source_takes_them(mode: int, moves: bool) -> None:
    """The generator goes on with every instruction that reads it: their order is the result."""
    first, second = cast(17, 16, mode), cast(19, 18, RANDOM)
    function = function_of([load(16), load(18), first, second, store(19), store(17)])
    sink(function, set())
    order = [op for op in function.ops() if op.name == "SFPCAST"]
    assert (order == [second, first]) == moves


def test_a_program_of_random_bits_that_needs_nine_lregs_is_refused_not_changed() -> None:
    """The same with the nearest number gets its LRegs, for the cast can be done again."""
    for mode, names in ((NEAREST, True), (RANDOM, False)):
        seven = range(16, 23)
        ops = [*map(load, seven), cast(23, 16, mode), store(23), load(24)]
        ops += [product(25, 24, 17), store(25), *map(store, seven), store(23)]
        function = function_of(ops)
        try:
            allocate(function)
        except VectorError:
            assert not names
        else:
            assert names
        assert casts(function).count(mode) == len(casts(function))
        assert len(casts(function)) == 1 or names


def crowd() -> tuple[list[Op], Op]:
    """Five values that stay, and two products of which only the product is needed in the end.

    The third product needs one LReg more than there is unless theirs is made before it.
    """
    stay = range(16, 21)
    first, second, third = product(30, 16, 17), product(31, 17, 18), product(32, 21, 20)
    exponent = Op("SFPEXMAN", {"lreg_dest": 33}, {"lreg_c": 30}, {"instr_mod1": 1})
    mantissa = Op("SFPEXMAN", {"lreg_dest": 34}, {"lreg_c": 31}, {"instr_mod1": 1})
    ops = [*map(load, stay), first, second, load(21), third, exponent, mantissa]
    return [*ops, product(35, 33, 34), store(35), store(32), store(21), *map(store, stay)], third


def test_operations_move_forward_with_those_they_follow_from() -> None:
    ops, third = crowd()
    function = function_of(ops)
    interference = Interference(function, set())
    assert interference.most[0] == 9
    assert third in interference.crowded[0]
    settled: set[Op] = set()
    assert make_room(function, interference.crowded[0], live_out(function, set()), settled)
    order = list(function.ops())
    assert [op.name for op in order[8:12]] == ["SFPEXMAN", "SFPEXMAN", "SFPMUL", "SFPMUL"]
    assert order[11] is third
    assert settled == {order[10]}
    assert Interference(function, set()).most[0] == 8
    assert not make_room(function, interference.crowded[0], live_out(function, set()), settled)


def test_what_is_crowded_so_gets_its_lregs() -> None:
    ops, _ = crowd()
    given = allocate(function_of(ops))
    assert set(given.values()) <= set(range(8))
