"""The Dst hazard, and what the matrix and vector units refuse for some cycles."""

import pytest

from cycle_harness import CycleTile
from tilelab.tensix.tables.causes import DST_HAZARD, RESULT_LATE, UNIT_BUSY


def bench(chip: str = "blackhole") -> CycleTile:
    made = CycleTile(chip)
    made.operands()
    return made


def run_words(made: CycleTile, *words: tuple[str, dict[str, int]], t: int = 1) -> list[int]:
    for name, fields in words:
        made.feed(made.tile.arch.instructions[name].encode(**fields), t=t)
        if made.s.frontend[t].input_fifo.count > 30:
            made.tile.run(20)
    made.run()
    return made.issued(t)


def mvmuls(blocks: list[int]) -> list[tuple[str, dict[str, int]]]:
    return [("MVMUL", {"dst": 8 * block}) for block in blocks]


@pytest.mark.parametrize(
    ("blocks", "cycles"),
    [
        ([0] * 16, list(range(0, 96, 6))),
        ([0, 1, 2, 3] * 4, [6 * i + j for i in range(4) for j in range(4)]),
        ([0, 1, 2, 3, 4, 5] * 4, list(range(24))),
        (list(range(8)) * 2, list(range(16))),
        ([0, 1] * 4, [0, 1, 6, 7, 12, 13, 18, 19]),
    ],
)
def test_block_is_read_six_cycles_after_its_write(blocks: list[int], cycles: list[int]) -> None:
    made = bench()
    assert run_words(made, *mvmuls(blocks)) == cycles
    waited = made.tile.state.record["cycle"]["thread_cycles"][1][DST_HAZARD]
    assert waited == cycles[-1] + 1 - len(cycles)


def test_rows_within_one_aligned_block_are_one_block() -> None:
    made = bench()
    row = made.tile.arch.instructions["MVMUL"]
    made.s.rwc[1].dst = 4
    made.feed(row.encode(dst=0), row.encode(dst=3))
    made.run()
    assert made.issued() == [0, 6]


@pytest.mark.parametrize("accumulate", [0, 1])
@pytest.mark.parametrize("name", ["ELWADD", "ELWSUB", "ELWMUL"])
def test_elementwise_words_wait_for_their_block_whether_they_accumulate_or_not(
    name: str, accumulate: int
) -> None:
    """On cards ELWADD on one block takes 5.98 cycles, as MVMUL and ELWMUL do."""
    word = (name, {"dst": 0, "dest_accum_en": accumulate * (name != "ELWMUL")})
    assert run_words(bench(), word, word, word) == [0, 6, 12]


def test_who_waits_for_a_block_keeps_the_matrix_unit_from_other_threads() -> None:
    """On cards a thread that goes from block to block is as slow as one beside it that does not."""
    made = bench()
    word = made.tile.arch.instructions["ELWADD"]
    for block in range(4):
        made.feed(word.encode(dst=0), t=0)
        made.feed(word.encode(dst=8 * block + 64), t=1)
    made.run()
    gaps = [b - a for a, b in zip(made.issued(1), made.issued(1)[1:], strict=False)]
    assert gaps[1:] == [6, 6]


@pytest.mark.parametrize(
    ("first", "second", "gap"),
    [
        ("MOVD2A", "MOVD2A", 1),
        ("MOVD2A", "MOVB2A", 1),
        ("MOVD2A", "SETRWC", 2),
        ("MOVD2B", "MOVD2B", 1),
        ("MOVD2B", "SETRWC", 4),
        ("MOVA2D", "SETRWC", 1),
        ("MOVA2D", "MVMUL", 4),
        ("ZEROACC", "MVMUL", 1),
    ],
)
def test_matrix_unit_after_moves(first: str, second: str, gap: int) -> None:
    defaults = {"MOVA2D": {"dst": 64}, "ZEROACC": {"clear_mode": 1}}
    words = [(name, defaults.get(name, {})) for name in (first, second)]
    assert run_words(bench(), *words) == [0, gap]


MAD = ("SFPMAD", {"lreg_src_a": 0, "lreg_src_b": 1, "lreg_src_c": 2, "lreg_dest": 3})
LAST = ("SFPNOP", {})


@pytest.mark.parametrize(
    ("second", "gap"),
    [
        (("SFPMAD", {"lreg_src_a": 3, "lreg_dest": 4}), 2),
        (("SFPMAD", {"lreg_src_a": 4, "lreg_dest": 3}), 1),
        (("SFPMOV", {"lreg_c": 3, "lreg_dest": 5}), 2),
        (("SFPXOR", {"lreg_c": 0, "lreg_dest": 3}), 2),
        (("SFPMULI", {"lreg_dest": 3}), 2),
        (("SFPLE", {"lreg_c": 0, "lreg_dest": 3, "instr_mod1": 1}), 2),
        (("SFPGT", {"lreg_c": 0, "lreg_dest": 3, "instr_mod1": 1}), 2),
        (("SFPARECIP", {"imm12_math": 3, "lreg_c": 0, "lreg_dest": 4, "instr_mod1": 1}), 2),
        (("SFPLUT", {"lreg_ind": 4}), 2),  # reads LReg[3]
        (("SFPTRANSP", {}), 2),
        (("SFPSWAP", {"lreg_src_c": 3, "lreg_dest": 4}), 2),
        (("SFPSTORE", {"lreg_ind": 3}), 2),
        (("SFPNOP", {}), 1),
    ],
)
def test_blackhole_waits_for_results_that_take_two_cycles(
    second: tuple[str, dict[str, int]], gap: int
) -> None:
    made = bench()
    assert run_words(made, MAD, second, LAST) == [0, 1, gap + 1]
    assert made.tile.state.record["cycle"]["thread_cycles"][1][RESULT_LATE] == gap - 1


def test_what_waits_for_a_result_has_left_its_gate() -> None:
    """Measured: on cards a table's result is stored at no cost before INCRWC (tt-metal#54317)."""
    table, store = ("SFPLUT", {"lreg_ind": 3}), ("SFPSTORE", {"lreg_ind": 3})
    words = (table, store, ("INCRWC", {"rwc_d": 2}), LAST)
    assert run_words(bench(), *words) == [0, 1, 2, 3]
    assert run_words(bench(), table, store, LAST) == [0, 1, 3]


@pytest.mark.parametrize(
    ("second", "gap"),
    [
        (("SFPAND", {"imm12_math": 3, "lreg_c": 0, "lreg_dest": 4, "instr_mod1": 1}), 1),
        (("SFPAND", {"imm12_math": 0, "lreg_c": 0, "lreg_dest": 3, "instr_mod1": 1}), 2),
        (("SFPOR", {"imm12_math": 3, "lreg_c": 0, "lreg_dest": 4, "instr_mod1": 1}), 1),
        (("SFPIADD", {"lreg_c": 0, "lreg_dest": 3, "instr_mod1": 4}), 1),
        (("SFPIADD", {"lreg_c": 3, "lreg_dest": 4, "instr_mod1": 4}), 2),
        (("SFPSHFT", {"lreg_c": 0, "lreg_dest": 3}), 1),
        (("SFPSWAP", {"lreg_src_c": 3, "lreg_dest": 4, "instr_mod1": 1}), 1),
        (("SFPSHFT2", {"lreg_src_c": 3, "lreg_dest": 4, "instr_mod1": 3}), 1),
        (("SFPSHFT2", {"imm12_math": 3, "lreg_dest": 4, "instr_mod1": 6}), 1),
        (("SFPSHFT2", {"imm12_math": 0, "lreg_dest": 3, "instr_mod1": 6}), 2),
    ],
)
def test_blackhole_overlooks_the_operands_that_sfpmad_md_lists(
    second: tuple[str, dict[str, int]], gap: int
) -> None:
    assert run_words(bench(), MAD, second, LAST) == [0, 1, gap + 1]


def test_wormhole_leaves_that_to_software() -> None:
    dependent = ("SFPMAD", {"lreg_src_a": 3, "lreg_dest": 4})
    assert run_words(bench("wormhole"), MAD, dependent) == [0, 1]


def test_after_swap_only_a_nop_goes_at_once() -> None:
    swap = ("SFPSWAP", {"lreg_src_c": 0, "lreg_dest": 1, "instr_mod1": 1})
    assert run_words(bench(), swap, ("SFPNOP", {}), MAD) == [0, 1, 2]
    made = bench()
    assert run_words(made, swap, ("SFPMOV", {"lreg_c": 4, "lreg_dest": 5})) == [0, 2]
    assert made.tile.state.record["cycle"]["busy_with"][1].sum() == 1
    assert made.tile.state.record["cycle"]["thread_cycles"][1][UNIT_BUSY] == 1
