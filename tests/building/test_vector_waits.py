"""Who waits for a late result: Blackhole by itself for most readers, else an SFPNOP.

Kernels count on it: they record the words that a compiler makes of an expression, by number.
"""

from pathlib import Path

import pytest

from tilelab.tensix.riscv.elf import program_of
from tilelab.tensix.riscv.listing import listing
from vector_programs import CHIPS, compiled

PROGRAM = """
void program() {
    vFloat a = dst_reg[0], b = dst_reg[1], c = dst_reg[2];
    vFloat r = a * b + c;
    BODY
    dst_reg[0] = r;
}
"""
AFTER = {
    "": ["sfpstore"],
    "r = convert<vFloat16b>(r, RoundMode::Nearest);": ["sfpstochrnd", "sfpstore"],
    "r = setsgn(r, 0);": ["sfpsetsgn", "sfpstore"],
    "r = as<vFloat>(shft(as<vInt>(r), -1));": ["sfpshft", "sfpstore"],
}
"""What follows a multiply-add's result, without SFPNOPs."""


def after_multiply_add(body: str, chip: str) -> list[str]:
    """The vector instructions from a multiply-add on, as they were compiled."""
    program = program_of(compiled(PROGRAM.replace("BODY", body), chip, "zig"), Path("p.elf"))
    names = [one.text.split()[0] for one in listing(program, chip) if one.tensix]
    return names[names.index("sfpmad") + 1 : names.index("sfpstore") + 1]


@pytest.mark.parametrize("body", AFTER)
def test_blackhole_waits_for_a_multiply_add_by_itself(body: str) -> None:
    assert after_multiply_add(body, "blackhole") == AFTER[body]


@pytest.mark.parametrize("body", AFTER)
def test_wormhole_gets_an_sfpnop_behind_a_multiply_add(body: str) -> None:
    assert after_multiply_add(body, "wormhole") == ["sfpnop", *AFTER[body]]


def test_where_blackhole_does_not_wait_it_gets_an_sfpnop_too() -> None:
    """SFPSHFT's destination, which it reads as well (SFPSHFT.md)."""
    body = "r = as<vFloat>(as<vUInt>(r) << as<vUInt>(c));"
    for chip in CHIPS:
        assert after_multiply_add(body, chip)[0] == "sfpnop"


@pytest.mark.parametrize("chip", CHIPS)
def test_a_swap_is_followed_by_an_sfpnop_as_the_vendors_compiler_has_it(chip: str) -> None:
    """The unit takes nothing else in its second cycle; a core that does not push one is ahead."""
    body = "vec_min_max(r, a); dst_reg[1] = b;"
    names = after_multiply_add(body, chip)
    at = names.index("sfpswap")
    assert names[at + 1 : at + 3] == ["sfpnop", "sfpstore"]


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("other", "moves"), [("", False), ("dst_reg[2] = b * k;", True)])
def test_a_negated_factor_of_a_constant_costs_no_word(chip: str, other: str, moves: bool) -> None:
    """Unless the constant has other uses, for which it would have to be there with both signs."""
    body = f"vFloat k = 1.7f; dst_reg[1] = -b * k + c; {other}"
    program = program_of(compiled(PROGRAM.replace("BODY", body), chip, "zig"), Path("p.elf"))
    names = [one.text.split()[0] for one in listing(program, chip) if one.tensix]
    assert ("sfpmov" in names) == moves
