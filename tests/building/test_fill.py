"""What stands between a multiply-add and who reads its result; operands in instructions."""

import re
from pathlib import Path

import numpy as np
import pytest

from tilelab.build.vector import complete
from tilelab.build.vector.code import RAW, Block, Function, Op
from tilelab.build.vector.fill import fill
from tilelab.build.vector.simplify import immediates
from tilelab.tensix.words.ttinsn import from_ttinsn
from vector_machine import CHIPS, VectorMachine

REPLAY = 0x04 << 24


def load(d: int) -> Op:
    return Op("SFPLOAD", {"lreg_dest": d}, imm={"dest_reg_addr": d})


def product(d: int, a: int, b: int) -> Op:
    ins = {"lreg_src_a": a, "lreg_src_b": b, "lreg_src_c": 9}
    return Op("SFPMUL", {"lreg_dest": d}, ins, {"instr_mod1": 0})


def exponent(d: int, s: int) -> Op:
    return Op("SFPEXEXP", {"lreg_dest": d}, {"lreg_c": s}, {"instr_mod1": 0})


def constant(d: int, value: float = 3.0) -> Op:
    return Op("const", {"d": d}, imm={"value": int(np.float32(value).view(np.uint32))})


def store(s: int) -> Op:
    return Op("SFPSTORE", ins={"lreg_dest": s}, imm={"dest_reg_addr": s})


def flags() -> Op:
    return Op("SFPSETCC", ins={"lreg_c": 16}, sets_flags=True)


def filled(ops: list[Op]) -> list[Op]:
    function = Function("f", [Block([*ops], leaves=True)], 40)
    fill(function)
    return list(function.ops())


def test_what_comes_later_or_came_before_goes_between() -> None:
    late, reader, other = product(17, 16, 16), exponent(18, 17), constant(19)
    ends = [store(18), store(19)]
    assert filled([late, reader, other, *ends]) == [late, other, reader, *ends]
    before = exponent(19, 16)
    assert filled([before, late, reader, *ends]) == [late, before, reader, *ends]


@pytest.mark.parametrize(
    "kept",
    [
        [product(17, 16, 16), exponent(18, 17), flags(), constant(19), store(19)],
        [product(17, 16, 16), exponent(18, 17), exponent(19, 18), store(19)],
        [product(17, 16, 16), constant(20), exponent(18, 17), store(18), store(20)],
        [Op(RAW, word=REPLAY), product(17, 16, 16), exponent(18, 17), constant(19), store(19)],
    ],
    ids=["under other flags", "on which it depends", "where nothing waits", "what is recorded"],
)
def test_all_else_stays(kept: list[Op]) -> None:
    assert filled(kept) == kept


def test_nothing_leaves_where_it_is_needed_itself() -> None:
    first, between, second = product(17, 16, 16), constant(20), exponent(18, 17)
    third, reader = product(21, 18, 18), exponent(22, 21)
    kept = [first, between, second, third, reader, store(22), store(20)]
    assert filled(kept) == kept


SPECIAL = (
    *(0, 1 << 31, 1, 0x7FFFFF, 0x800000, 0x80800000, 0x7F7FFFFF, 0x7F800000, 0xFF800000),
    *(0x7FC00000, 0x7F800001, 0xFF812345, 0x42FE0000, 0x3F000000),
)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("bits", [0x42FE, 0xBF00, 0x0080, 0x7F00, 0xC37F])
def test_an_operand_in_the_instruction_gives_the_same_bits(chip: str, bits: int) -> None:
    machine = VectorMachine(chip)
    given = np.random.default_rng(bits).integers(0, 1 << 32, 32, np.uint64).astype(np.uint32)
    given[: len(SPECIAL)] = SPECIAL
    for form, name, fields in (
        ("SFPADDI", "SFPADD", {"lreg_src_a": 10, "lreg_src_b": 0, "lreg_src_c": 1}),
        ("SFPADDI", "SFPADD", {"lreg_src_a": 10, "lreg_src_b": 1, "lreg_src_c": 0}),
        ("SFPMULI", "SFPMUL", {"lreg_src_a": 0, "lreg_src_b": 1, "lreg_src_c": 9}),
        ("SFPMULI", "SFPMUL", {"lreg_src_a": 1, "lreg_src_b": 0, "lreg_src_c": 9}),
    ):
        machine.lreg[0], machine.lreg[1], machine.lreg[2] = given, bits << 16, given
        machine.run(name, lreg_dest=3, **fields)
        machine.run(form, lreg_dest=2, imm16_math=bits)
        assert (machine.lreg[2] == machine.lreg[3]).all()


@pytest.mark.parametrize(
    ("value", "more", "name"),
    [(0.5, [], "SFPMULI"), (0.1, [], "SFPMUL"), (0.5, [store(16)], "SFPMUL")],
    ids=["a BF16", "more bits", "a factor that is read again"],
)
def test_a_constant_of_sixteen_bits_is_in_the_instruction(
    value: float, more: list[Op], name: str
) -> None:
    ops = [load(16), constant(17, value), product(18, 16, 17), store(18), *more]
    function = Function("f", [Block(ops, leaves=True)], 40)
    immediates(function)
    assert [op.name for op in function.ops()][-2 - len(more)] == name


def test_wormhole_has_no_sfpnop_where_something_else_stands() -> None:
    at = "instr_mod0=4 sfpu_addr_mode=3 dest_reg_addr="
    lines = [f"tt.vec SFPLOAD lreg_ind>fs0 {at}0"]
    lines += ["tt.vec SFPMUL lreg_dest>fs1 lreg_src_a=fs0 lreg_src_b=fs0 lreg_src_c=9 instr_mod1=0"]
    lines += [f"tt.vec SFPSTORE lreg_ind=fs1 {at}2"]
    lines += ["tt.vec SFPEXEXP lreg_dest>fs2 lreg_c=fs0 instr_mod1=0"]
    lines += [f"tt.vec SFPSTORE lreg_ind=fs2 {at}4"]
    text = "\n".join(["\t.type\tf, @function", "f:", *(f"\t{line}" for line in lines)])
    out = complete(text + "\n\tret\n\t.size\tf, .-f\n", "wormhole", Path("p.cpp"))
    opcodes = [from_ttinsn(int(word, 0)) >> 24 for word in re.findall(r"\.word\s+(\w+)", out)]
    assert opcodes == [0x70, 0x86, 0x77, 0x72, 0x72]
