"""The vector unit's C++: what it computes, on both chips and by both compilers, against NumPy."""

import numpy as np
import pytest

from vector_programs import CHIPS, COMPILERS, floats, run

RNG = np.random.default_rng(20)
X = RNG.normal(size=(4, 32)).astype(np.float32) * 3

each_chip = pytest.mark.parametrize("chip", CHIPS)
each_compiler = pytest.mark.parametrize("compiler", COMPILERS)

FOR_EACH_ROW = """
void program() {
    for (int i = 0; i < 4; ++i) {
        vFloat x = dst_reg[0].mode<DataLayout::F32>();
        BODY
        dst_reg[0].mode<DataLayout::F32>() = x;
        dst_reg++;
    }
}
"""


@each_chip
@each_compiler
def test_a_first_vector_kernel(chip: str, compiler: str) -> None:
    source = FOR_EACH_ROW.replace("BODY", "v_if(x < 0.0f) { x = x * 0.25f + 1.5f; } v_endif;")
    result = run(source, floats(X), chip, compiler).view(np.float32)
    assert np.array_equal(result, np.where(X < 0, X * np.float32(0.25) + np.float32(1.5), X))


BITS = np.array(
    [
        *(0, 1, 2, 7, 100, 0x7F, 0x80, 0xFFFF, 0x12345678, 0x7FFFFFFF, 0x40490FDB, 0xC0490FDB),
        *(0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x00800000, 0x00000001),
        *(0x80000001, 0xFFFFFFFF, 0xFFFFFFF0, 0x42C80000, 0x4B000000, 0xC1200000, 0x3DCCCCCD),
        *(0x41B80000, 0xC47A0000, 0x33800000, 0x3F000000, 0x5F000000, 0xBEAAAAAB),
    ],
    np.uint32,
)
FLOAT = BITS.view(np.float32)
INT = BITS.view(np.int32)
FINITE = np.where(np.isfinite(FLOAT) & (np.abs(FLOAT) < 30000), FLOAT, 1.5).astype(np.float32)


def u(x: object) -> np.ndarray:
    return np.asarray(x).astype(np.int64).astype(np.uint32)


def field(x: np.ndarray, low: int, width: int) -> np.ndarray:
    return x >> np.uint32(low) & np.uint32((1 << width) - 1)


BLACKHOLE_ONLY = [
    ("r = as<vUInt>(as<vInt>(a) >> 3);", u(INT >> 3)),
    ("r = as<vUInt>(shft(as<vInt>(a), -5));", u(INT >> 5)),
    ("r = as<vUInt>(shft(as<vInt>(a), vInt(-5)));", u(INT >> 5)),
    (
        "v_if(as<vSMag>(a) > as<vSMag>(vUInt(5))) { r = 1; } v_endif;",
        np.where((BITS > 5) & (INT >= 0), 1, BITS),
    ),
]
EVERYWHERE = [
    ("r = a + 5; r = r - 3000; r = 7 - r; r = -r;", u(INT.astype(np.int64) + 5 - 3000 - 7)),
    (
        "r = (a & 0xFF00) | 0x12; r ^= 0x80000001u; r = ~r;",
        ~(BITS & 0xFF00 | 0x12 ^ 0) ^ np.uint32(0x80000001),
    ),
    ("r = a << 4; r >>= 7;", (BITS << np.uint32(4)) >> np.uint32(7)),
    ("r = a >> vUInt(5); r = r << vUInt(2);", (BITS >> np.uint32(5)) << np.uint32(2)),
    ("r = shft(a, vInt(-3)); r = shft(r, 2);", (BITS >> np.uint32(3)) << np.uint32(2)),
    ("r = as<vUInt>(exexp(as<vFloat>(a)));", u(field(BITS, 23, 8).astype(int) - 127)),
    ("r = as<vUInt>(exexp(as<vFloat>(a), ExponentMode::Biased));", field(BITS, 23, 8)),
    ("r = exman(as<vFloat>(a));", field(BITS, 0, 23)),
    ("r = exman(as<vFloat>(a), MantissaMode::ImplicitOne);", field(BITS, 0, 23) | 1 << 23),
    ("r = as<vUInt>(setexp(as<vFloat>(a), 130));", BITS & 0x807FFFFF | 130 << 23),
    ("r = as<vUInt>(setexp(as<vFloat>(a), as<vInt>(a)));", BITS & 0x807FFFFF | (BITS & 255) << 23),
    ("r = as<vUInt>(setman(as<vFloat>(a), 0x400000));", BITS & 0xFF800000 | 0x400000),
    ("r = as<vUInt>(setman(as<vFloat>(a), 0x12345));", BITS & 0xFF800000 | 0x12345),
    ("r = as<vUInt>(setman(as<vFloat>(a), vUInt(77)));", BITS & 0xFF800000 | 77),
    ("r = as<vUInt>(setsgn(as<vFloat>(a), 1));", BITS | 1 << 31),
    ("r = as<vUInt>(copysgn(as<vFloat>(vUInt(5)), as<vFloat>(a)));", BITS & 1 << 31 | 5),
    ("r = as<vUInt>(copyexp(as<vFloat>(vUInt(5)), as<vFloat>(a)));", BITS & 0x7F800000 | 5),
    ("r = as<vUInt>(copyman(vFloat(2.0f), as<vFloat>(a)));", BITS & 0x7FFFFF | 0x40000000),
    ("r = as<vUInt>(setsgn2(vFloat(2.0f), a));", BITS << np.uint32(31) | 0x40000000),
    ("r = exsgn(as<vFloat>(a));", BITS >> np.uint32(31)),
    ("r = abs(as<vInt>(a));", u(np.abs(INT.astype(np.int64)))),
    ("r = lz(a);", u([32 - int(x).bit_length() for x in BITS])),
    ("r = lz(a, LZMode::IgnoreSign);", u([32 - (int(x) & 0x7FFFFFFF).bit_length() for x in BITS])),
    (
        "r = as<vUInt>(min(as<vSMag>(a), as<vSMag>(vUInt(50))));",
        np.where((INT >= 0) & (BITS > 50), 50, BITS),
    ),
    ("r = min(a, 50u);", np.minimum(BITS, 50)),
    ("r = max(a, 0x90000000u);", np.maximum(BITS, 0x90000000)),
    ("vUInt b = 3; swap(r, b); r = b;", BITS),
    ("r = vUInt(vInt(as<vInt>(a) < 0 || a == 100));", u((INT < 0) | (BITS == 100))),
    (
        "v_if(!(a == 1 || a == 2) && a != 7) { r = 9; } v_endif;",
        np.where(np.isin(BITS, [1, 2, 7]), BITS, 9),
    ),
    (
        "v_block { v_and(a != 1); v_and(a != 2); r = 9; } v_endblock;",
        np.where(np.isin(BITS, [1, 2]), BITS, 9),
    ),
    (
        "v_if(a == 1) { r = 5; } v_elseif(a == 2) { r = 6; } v_elseif(a == 7) { r = 8; }"
        "v_else { r = 0; } v_endif;",
        np.select([BITS == 1, BITS == 2, BITS == 7], [5, 6, 8], 0),
    ),
    (
        "r = as<vUInt>(int_to_sign_magnitude(as<vInt>(a)));",
        np.where(INT < 0, 0x80000000 | u(-INT.astype(np.int64)), BITS),
    ),
    (
        "vFloat t; v_if(a == 1) { t = 3.0f; } v_else { t = 4.0f; } v_endif; r = as<vUInt>(t);",
        floats(np.where(BITS == 1, 3.0, 4.0)),
    ),
    (
        "v_if(is_nan(as<vFloat>(a))) { r = 1; } v_elseif(is_inf(as<vFloat>(a))) { r = 2; }"
        "v_elseif(is_subnormal(as<vFloat>(a)) || is_zero(as<vFloat>(a))) { r = 3; }"
        "v_else { r = 4; } v_endif;",
        np.select([np.isnan(FLOAT), np.isinf(FLOAT), np.abs(FLOAT) < 2.0**-126], [1, 2, 3], 4),
    ),
    ("l_reg[LRegs::LReg3] = a; vUInt b = l_reg[LRegs::LReg3]; r = b + a;", BITS * np.uint32(2)),
    ("vConstIntPrgm0 = 1234; vInt p = vConstIntPrgm0; r = as<vUInt>(p);", np.full(32, 1234)),
    ("r = as<vUInt>(vInt(vConstTileId));", np.arange(32) * 2),
    ("r = subvec_shflror1(a);", BITS.reshape(4, 8)[:, [7, 0, 1, 2, 3, 4, 5, 6]].ravel()),
    (
        "vUInt b = 1, c = 2, d = 3; subvec_transp(r, b, c, d); r = r + (b << 2) + (c << 4);",
        np.concatenate(
            [
                BITS[:8] + BITS[8:16] * 4 + BITS[16:24] * 16,
                np.full(8, 21),
                np.full(8, 42),
                np.full(8, 63),
            ]
        ),
    ),
]
FLOATING = [
    ("x = x + 1.0f; x = 2.0f * x - 3.0f; x = 1.0f - x;", 1 - (2 * (FINITE + 1) - 3)),
    ("x += 2.0f; x -= 1.0f; x *= 0.5f; x = -x; ++x; x--;", -(FINITE + 1) / 2),
    ("x = abs(x); x = addexp(x, 3);", np.abs(FINITE) * 8),
    ("x = max(min(x, 2.0f), -2.0f); x = clamp(x, -1.0f, 1.0f);", np.clip(FINITE, -1, 1)),
    ("x = symmetric_clamp(x, 4.0f);", np.clip(FINITE, -4, 4)),
    ("x = rectified_linear_unit(x);", np.maximum(FINITE, 0)),
    ("x = polynomial(x, 1.0f, 2.0f, 3.0f);", 1 + FINITE * (2 + FINITE * 3)),
    ("x = ldexp(max(abs(x), 1.0f), -1);", np.maximum(np.abs(FINITE), 1) / 2),
    ("x = round(clamp(x, -100.0f, 100.0f));", np.rint(np.clip(FINITE, -100, 100))),
    (
        "x = convert<vFloat>(convert<vSMag16>(x, RoundMode::Nearest), RoundMode::Nearest);",
        np.sign(FINITE) * np.floor(np.abs(FINITE) + 0.5),
    ),
    (
        "x = convert<vFloat>(convert<vUInt8>(abs(x), RoundMode::Nearest), RoundMode::Nearest);",
        np.minimum(np.floor(np.abs(FINITE) + 0.5), 255),
    ),
    ("x = convert<vFloat>(vInt(-3), RoundMode::Nearest);", np.full(32, -3.0)),
    ("x = int32_to_float(vInt(0x1000003), 0);", np.full(32, 16777220.0)),
    ("x = as<vFloat>(as<vUInt>(float_to_fp16b(vFloat(3.0f), 0)));", np.full(32, 3.0)),
    (
        "x = lut(x, vLut8si(0.5f, 0.0f), vLut8si(0.25f, 0.25f), vLut8si(0.0f, 0.75f));",
        np.sign(FINITE)
        * np.select(
            [np.abs(FINITE) < 1, np.abs(FINITE) < 2],
            [np.abs(FINITE) / 2, np.abs(FINITE) / 4 + 0.25],
            0.75,
        ),
    ),
    (
        "x = lut(x, vLut16ss(1.0f, 2.0f), vLut16ii(0.0f, 1.0f), vLut16ss(3.0f, 4.0f),"
        "vLut16ii(0.5f, 0.25f), vLut16ss(0.0f, 0.0f), vLut16ii(7.0f, 8.0f), LutSign::Update);",
        np.select(
            [np.abs(FINITE) < v for v in (0.5, 1, 1.5, 2, 3)],
            [np.abs(FINITE) * s + i for s, i in ((1, 0), (2, 1), (3, 0.5), (4, 0.25), (0, 7))],
            8.0,
        ),
    ),
]

INTEGERS = "void program() { vUInt a = dst_reg[0]; vUInt r = a; %s dst_reg[0] = r; }"
FLOATS = """void program() {
    vFloat x = dst_reg[0].mode<DataLayout::F32>(); %s dst_reg[0].mode<DataLayout::F32>() = x;
}"""


@each_chip
@pytest.mark.parametrize(("body", "expected"), EVERYWHERE, ids=[b for b, _ in EVERYWHERE])
def test_functions_on_integers_and_bits(body: str, expected: np.ndarray, chip: str) -> None:
    result = run(INTEGERS % body, BITS[None], chip, "zig")[0]
    assert result.tolist() == u(expected).tolist()


@pytest.mark.parametrize(("body", "expected"), BLACKHOLE_ONLY, ids=[b for b, _ in BLACKHOLE_ONLY])
def test_what_only_blackhole_has(body: str, expected: np.ndarray) -> None:
    result = run(INTEGERS % body, BITS[None], "blackhole", "zig")[0]
    assert result.tolist() == u(expected).tolist()


@each_chip
@pytest.mark.parametrize(("body", "expected"), FLOATING, ids=[b for b, _ in FLOATING])
def test_functions_on_floats(body: str, expected: np.ndarray, chip: str) -> None:
    result = run(FLOATS % body, floats(FINITE)[None], chip, "zig")[0].view(np.float32)
    np.testing.assert_allclose(result, expected, rtol=3e-7, atol=1e-37)


@each_chip
@pytest.mark.parametrize("mask", range(16))
@pytest.mark.parametrize("part", ["first", "second"])
def test_minimum_and_maximum_by_every_mask(mask: int, part: str, chip: str) -> None:
    body = f"x = min_max(x, vFloat(1.5f), {mask}).{part};"
    result = run(FLOATS % body, floats(FINITE)[None], chip, "zig")[0].view(np.float32)
    top = (mask >> np.arange(32) // 8 & 1 == 1) ^ (part == "second")
    expected = np.where(top, np.maximum(FINITE, 1.5), np.minimum(FINITE, 1.5))
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-37)


@each_compiler
@pytest.mark.parametrize("body", [EVERYWHERE[2], EVERYWHERE[29], EVERYWHERE[33]])
def test_gcc_gives_the_same(body: tuple[str, np.ndarray], compiler: str) -> None:
    result = run(INTEGERS % body[0], BITS[None], "blackhole", compiler)[0]
    assert result.tolist() == u(body[1]).tolist()
