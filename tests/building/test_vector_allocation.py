"""LRegs under predication: random programs against NumPy, and what is refused, with its line."""

import numpy as np
import pytest

from tilelab.build.vector.code import VectorError
from tilelab.tensix.arch import arch
from vector_programs import CHIPS, COMPILERS, FIRST_LINE, complaint, floats, run
from vector_random import Program

SEEDS = range(40, 52)
PROGRAM = "void program() {\n%s\n}"
WIDE = ".mode<DataLayout::F32>()"


def test_random_programs_compute_what_numpy_does() -> None:
    """Nested conditions, loops, integers and floats; what needs too many LRegs says so."""
    ran = 0
    refused: list[str] = []
    for seed in SEEDS:
        program = Program(seed)
        rng = np.random.default_rng(seed)
        integers = rng.integers(-6, 6, (3, 32)).astype(np.int32).view(np.uint32)
        rows = np.concatenate([integers, floats(rng.integers(-3, 4, (2, 32)))])
        expected = program.run(rows)
        numbers = expected[3:].view(np.float32)
        assert (np.abs(numbers) < 2**22).all()
        chip, compiler = CHIPS[seed % 2], COMPILERS[seed // 2 % 2]
        try:
            result = run(program.text, rows, chip, compiler)
        except VectorError as error:
            refused.append(str(error))
            continue
        ran += 1
        assert np.array_equal(result[:3], expected[:3]), f"seed {seed}, {chip}, {compiler}"
        # -0 and 0 are one number
        assert np.array_equal(result[3:].view(np.float32), numbers), f"seed {seed}"
    assert ran >= len(SEEDS) // 3
    assert all("needed at once, and there are 8 LRegs" in text for text in refused)


def sums(values: int, lost: bool = False) -> str:
    """Loads that many values, then uses them all; ``lost``: when Dst has none of them any more."""
    loads = [f"    vFloat x{i} = dst_reg[{i}]{WIDE};" for i in range(values)]
    zeros = [f"    dst_reg[{i}]{WIDE} = 0.0f;" for i in range(values) if lost]
    stores = [f"    dst_reg[{i}]{WIDE} = x{i} * x{(i + 1) % values};" for i in range(values)]
    return PROGRAM % "\n".join([*loads, *zeros, *stores])


@pytest.mark.parametrize("compiler", COMPILERS)
def test_eight_values_fit_and_nine_do_not(compiler: str) -> None:
    x = np.arange(352, dtype=np.float32).reshape(11, 32) / 16
    for values, lost in ((7, True), (11, False)):  # what Dst still has is loaded again
        source = sums(values, lost)
        result = run(source, floats(x[:values]), "blackhole", compiler).view(np.float32)
        assert np.array_equal(result, x[:values] * np.roll(x[:values], -1, axis=0))
    error = complaint(sums(9, lost=True), compiler=compiler)
    line = FIRST_LINE + 19  # the first product: nine values and its own
    assert error.summary.startswith((f"p.cpp:{line}: 10 vector", f"p.cpp:{line + 1}: 10 vector"))


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("chip", CHIPS)
def test_what_is_computed_early_is_computed_where_it_is_needed(chip: str, compiler: str) -> None:
    """Six values and six products of them, all written first and used later, are twelve."""
    body = [f"    vFloat x{i} = dst_reg[{i}]{WIDE};" for i in range(6)]
    body += [f"    vFloat p{i} = x{i} * x{(i + 1) % 6};" for i in range(6)]
    body += [f"    dst_reg[{i}]{WIDE} = p{i} + x{5 - i};" for i in range(6)]
    x = np.arange(192, dtype=np.float32).reshape(6, 32) / 16
    result = run(PROGRAM % "\n".join(body), floats(x), chip, compiler).view(np.float32)
    assert np.array_equal(result, x * np.roll(x, -1, axis=0) + x[::-1])


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_programmed_constant_is_read_where_it_is_kept(compiler: str) -> None:
    """Six values and two results leave no LReg for a copy of LReg[12], which the program sets."""
    body = ["    vConstFloatPrgm0 = 0.75f;", "    vFloat factor = vConstFloatPrgm0;"]
    body += [f"    vFloat x{i} = dst_reg[{i}]{WIDE};" for i in range(6)]
    body += [f"    vFloat y{i} = x{i} * factor + x{(i + 1) % 6};" for i in (0, 3)]
    body += [f"    dst_reg[{i}]{WIDE} = x{i} * factor;" for i in range(6)]
    body += [f"    dst_reg[{i}]{WIDE} = y{i};" for i in (0, 3)]
    x = np.arange(192, dtype=np.float32).reshape(6, 32) / 16
    result = run(PROGRAM % "\n".join(body), floats(x), "wormhole", compiler).view(np.float32)
    expected = x * np.float32(0.75)
    for i in (0, 3):
        expected[i] += x[i + 1]
    assert np.array_equal(result, expected)


def test_a_programmed_constant_that_changes_is_read_before() -> None:
    body = [f"    vFloat x = dst_reg[0]{WIDE};", "    vConstFloatPrgm0 = 0.75f;"]
    body += ["    vFloat old = vConstFloatPrgm0;", "    vConstFloatPrgm0 = 2.0f;"]
    body += [f"    dst_reg[0]{WIDE} = x * old + vConstFloatPrgm0;"]
    x = np.arange(32, dtype=np.float32).reshape(1, 32)
    result = run(PROGRAM % "\n".join(body), floats(x), "wormhole", "zig").view(np.float32)
    assert np.array_equal(result, x * np.float32(0.75) + 2)


def test_the_complaint_names_the_line_and_where_the_values_come_from() -> None:
    error = complaint(sums(9, lost=True))
    line = FIRST_LINE + 19
    assert error.summary.startswith((f"p.cpp:{line}: ", f"p.cpp:{line + 1}: "))
    assert f"p.cpp:{FIRST_LINE + 1}" in error.detail


@pytest.mark.parametrize(
    ("body", "line", "said"),
    [
        (
            "    extern void other(); vFloat x = dst_reg[0];\n    other();\n    dst_reg[0] = x;",
            2,
            "needed after a call of",
        ),
        (
            "    extern float f; vFloat x = dst_reg[0];\n    f = f * f;\n    dst_reg[0] = x;",
            2,
            "",
        ),
        (
            "    vFloat x[4] = {dst_reg[0], dst_reg[1], dst_reg[2], dst_reg[3]};\n"
            "    dst_reg[0] = x[*(volatile int*)0xFFB00000];",
            1,
            "kept in memory",
        ),
    ],
)
def test_what_has_no_place_in_the_vector_unit(body: str, line: int, said: str) -> None:
    error = complaint(PROGRAM % body)
    assert said in error.summary
    assert int(error.summary.split(":")[1]) in (FIRST_LINE + line, FIRST_LINE + line + 1)


def test_words_that_the_source_issues_keep_their_lregs() -> None:
    """A value and raw words that use LReg[0..6] at the same time get different registers."""
    raw = "\n".join(
        f"    TENSIX(0x71000000u | {n}u << 20 | 2u << 16 | {n + 1}u);" for n in range(7)
    )
    stores = "\n".join(
        f"    {{ vUInt v = l_reg[LRegs::LReg{n}]; dst_reg[{n}] = v; }}" for n in range(7)
    )
    body = f"    vUInt x = dst_reg[7];\n{raw}\n    dst_reg[7] = x + 1;\n{stores}"
    rows = np.full((8, 32), 40, np.uint32)
    result = run(PROGRAM % body, rows, "blackhole", "zig")
    assert result[:, 0].tolist() == [1, 2, 3, 4, 5, 6, 7, 41]


@pytest.mark.parametrize("chip", CHIPS)
def test_words_that_are_only_recorded_touch_no_lreg(chip: str) -> None:
    """As a sum in the wheel has it: a REPLAY records what reads all LRegs; C++ runs in a loop."""
    rows = arch(chip).instructions
    moves = [rows["SFPMOV"].encode(lreg_c=n, lreg_dest=n) for n in range(8)]
    record = rows["REPLAY"].encode(len=len(moves), load_mode=1)
    words = "\n".join(f"        TENSIX({word:#x}u);" for word in (record, *moves))
    sums = f"vFloat a = dst_reg[0]{WIDE}, b = dst_reg[1]{WIDE}; dst_reg[1]{WIDE} = a + b;"
    bound = "*(volatile int*)0xFFB00000"
    loop = f"    {bound} = 3;\n    for (int i = 0; i < {bound}; ++i)"
    body = f"{loop} {{\n{words}\n    {sums}\n    }}"
    x = np.arange(64, dtype=np.float32).reshape(2, 32)
    result = run(PROGRAM % body, floats(x), chip, "zig").view(np.float32)
    assert np.array_equal(result, np.array([x[0], 3 * x[0] + x[1]]))


@pytest.mark.parametrize("chip", CHIPS)
def test_a_constant_reaches_the_lanes_that_an_assignment_leaves_alone(chip: str) -> None:
    """Both are in registers that hold constants, so that nothing needs a load before the v_if."""
    row = "dst_reg[0].mode<DataLayout::F32>()"
    body = f"vFloat x = {row}; vFloat r = 0.0f; v_if(x < 0.0f) {{ r = 1.0f; }} v_endif; {row} = r;"
    x = np.arange(-16, 16, dtype=np.float32)
    result = run(PROGRAM % body, floats(x[None]), chip, "zig").view(np.float32)
    assert np.array_equal(result[0], (x < 0).astype(np.float32))


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_what_is_cheap_is_computed_again_where_eight_are_not_enough(
    chip: str, compiler: str
) -> None:
    """Nine values, of which two follow from others; under a condition between them, too."""
    x = np.random.default_rng(3).integers(-9, 9, (6, 32)).astype(np.float32)
    loads = [f"    vFloat x{i} = dst_reg[{i}].mode<DataLayout::F32>();" for i in range(6)]
    uses = ["x0 + a", "x1 + b", "x2 * a", "x3 * b", "x4 + x5", "x5 * x0"]
    stores = [f"    dst_reg[{i}].mode<DataLayout::F32>() = {use};" for i, use in enumerate(uses)]
    body = [
        *loads,
        "    vFloat a = abs(x0); vFloat b = abs(x1); vFloat c = x2 * x3;",
        "    v_if(x2 < 0.0f) { x4 = c * x5 + x3; }",
        "    v_endif;",
        "    x5 = c + x4;",
        *stores,
    ]
    result = run(PROGRAM % "\n".join(body), floats(x), chip, compiler).view(np.float32)
    a, b, c = np.abs(x[0]), np.abs(x[1]), x[2] * x[3]
    x[4] = np.where(x[2] < 0, c * x[5] + x[3], x[4])
    x[5] = c + x[4]
    expected = [x[0] + a, x[1] + b, x[2] * a, x[3] * b, x[4] + x[5], x[5] * x[0]]
    assert np.array_equal(result, np.array(expected))


def test_programmable_constants_are_read_where_they_stand() -> None:
    """Also in a program that sets them, but not after they are set again."""
    x = np.arange(32, dtype=np.float32)[None]
    body = [
        "    vConstFloatPrgm0 = 3.0f;",
        "    vFloat old = vConstFloatPrgm0;",
        "    vFloat x = dst_reg[0].mode<DataLayout::F32>();",
        "    vConstFloatPrgm0 = 5.0f;",
        "    vFloat next = vConstFloatPrgm0;",
        "    dst_reg[0].mode<DataLayout::F32>() = x * next + old;",
    ]
    result = run(PROGRAM % "\n".join(body), floats(x), "blackhole", COMPILERS[0])
    assert np.array_equal(result.view(np.float32), x * 5 + 3)
