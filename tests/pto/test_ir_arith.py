"""Numbers of the IR: integers of a width, and conversions of elements."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from pto_harness import pto
from tilelab.pto.errors import IRError
from tilelab.pto.ir_arith import compute
from tilelab.pto.ir_convert import convert


@pytest.mark.parametrize(
    ("name", "words", "values", "wanted"),
    [
        ("addi", "%a , %b : i32", [2**31 - 1, 1], -(2**31)),
        ("addi", "%a , %b : index", [2**31 - 1, 1], 2**31),
        ("muli", "%a , %b : i8", [100, 3], 44),
        ("divsi", "%a , %b : i64", [2**53 + 1, 1], 2**53 + 1),  # a float cannot hold it
        ("divsi", "%a , %b : i32", [-7, 2], -3),
        ("divsi", "%a , %b : i32", [7, -2], -3),
        ("remsi", "%a , %b : i32", [-7, 2], -1),
        ("remsi", "%a , %b : i32", [7, -2], 1),
        ("divui", "%a , %b : i32", [-2, 2], 2**31 - 1),
        ("remui", "%a , %b : i8", [-1, 10], 5),
        ("cmpi", "ult , %a , %b : i32", [-1, 1], 0),
        ("cmpi", "slt , %a , %b : i32", [-1, 1], 1),
        ("cmpi", "uge , %a , %b : index", [-1, 2**62], 1),
        ("cmpi", "ne , %a , %b : i32", [1, 2], 1),
        ("cmpi", "slt , %a , %b : i1", [1, 0], 1),  # i1's 1 is -1 where it is signed
        ("trunci", "%a : i64 to i8", [300], 44),
        ("trunci", "%a : i32 to i1", [3], 1),
        ("extui", "%a : i8 to i32", [-1], 255),
        ("extsi", "%a : i8 to i32", [-1], -1),
        ("extui", "%a : i1 to i32", [1], 1),
        ("extsi", "%a : i1 to i32", [1], -1),
        ("index_castui", "%a : i32 to index", [-1], 2**32 - 1),
        ("index_cast", "%a : i32 to index", [-1], -1),
        ("index_cast", "%a : index to i32", [2**32 + 5], 5),
    ],
)
def test_integers_are_of_the_width_that_is_written(name, words, values, wanted):
    assert compute(name, tuple(words.split()), values, 1) == wanted


@pytest.mark.parametrize(
    ("name", "words", "values", "told"),
    [
        ("divui", "%a , %b : i8", [1, 256], "division by zero"),
        ("addi", "%a , %b : f32", [1, 2], "'f32' is no integer's type"),
        ("addi", "%a : i32", [1], "takes two numbers"),
        ("trunci", "%a , %b : i64 to i8", [1, 2], "takes one number"),
        ("cmpi", "lt , %a , %b : i8", [1, 2], "no comparison 'lt'"),
        ("cmpi", "une , %a , %b : i8", [1, 2], "no comparison 'une'"),
        ("extsi", "%a :", [1], "a type is missing"),
    ],
)
def test_bad_arithmetic_is_told(name, words, values, told):
    with pytest.raises(IRError, match=told):
        compute(name, tuple(words.split()), values, 1)


VALUES = np.array([[0.5, 1.5, -0.5, -1.5, 2.4, -2.6]], np.float32)


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [
        ("", [0, 2, 0, -2, 2, -3]),
        ("RINT", [0, 2, 0, -2, 2, -3]),
        ("ROUND", [1, 2, -1, -2, 2, -3]),
        ("FLOOR", [0, 1, -1, -2, 2, -3]),
        ("CEIL", [1, 2, 0, -1, 3, -2]),
        ("TRUNC", [0, 1, 0, -1, 2, -2]),
    ],
)
def test_floats_become_integers_by_the_mode_that_is_written(mode, wanted):
    words = ("ins", "(", "%a", "{", "rmode", "=", f"#pto<round_mode {mode}>" if mode else "", ")")
    assert convert(VALUES, np.dtype(np.int32), words, 1).tolist() == [wanted]


def test_a_narrower_float_is_the_nearest():
    source = np.array([1 + 2**-8, 1 + 3 * 2**-8], np.float32)  # ties of bfloat16
    result = convert(source, np.dtype(ml_dtypes.bfloat16), (), 1)
    assert result.astype(np.float32).tolist() == [1, 1 + 2**-6]


@pytest.mark.parametrize(
    ("values", "dtype", "mode", "told"),
    [
        ([300.7], np.int8, "", "300.7.* does not fit int8; saturation is not modelled"),
        ([-1.0], np.uint8, "", "does not fit uint8"),
        ([float("nan")], np.int32, "", "does not fit int32"),
        ([1.5], np.int32, "NONE", "not whole"),
        ([1.5], np.int32, "ODD", "ODD into int32 is not modelled"),
        ([1 + 2**-20], np.float16, "ODD", "ODD into float16 is not modelled"),
    ],
)
def test_what_another_rule_would_change_is_refused(values, dtype, mode, told):
    words = (f"#pto<round_mode {mode}>",) if mode else ()
    with pytest.raises(IRError, match=told):
        convert(np.array(values, np.float32), np.dtype(dtype), words, 1)


TILE = "!pto.tile_buf<loc=vec, dtype={0}, rows=1, cols=8, v_row=1, v_col={1}, blayout=row_major>"
PROGRAM = """
module attributes {{pto.arch = "a5"}} {{
  func.func @vector(%x: !pto.ptr<f32>) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    %a = pto.alloc_tile : {f32}
    %b = pto.alloc_tile : {i32}
    pto.tcvt ins({source}) outs(%b : {i32})
    return
  }}
}}
"""


@pytest.mark.parametrize(
    ("columns", "source", "told"),
    [
        ("1e9", "%a", "v_row and v_col are numbers or ?"),
        ("8", "", "pto.tcvt takes 1 operand(s), not 0"),
    ],
)
def test_a_broken_file_gets_one_line(tmp_path, columns, source, told):
    f32, i32 = TILE.format("f32", columns), TILE.format("i32", "8")
    text = PROGRAM.format(f32=f32, i32=i32, source=source)
    file = tmp_path / "broken.pto"
    file.write_text(text, encoding="utf-8")
    outcome = pto("run", str(file))
    assert outcome.exit_code == 2, outcome.output
    assert told in outcome.output


def test_a_tile_beyond_every_memory_is_refused(tmp_path):
    file = tmp_path / "huge.pto"
    wide = TILE.format("f32", "8").replace("cols=8", "cols=1000000000")
    file.write_text(
        PROGRAM.format(f32=wide, i32=TILE.format("i32", "8"), source="%a"), encoding="utf-8"
    )
    outcome = pto("run", str(file))
    assert outcome.exit_code == 2, outcome.output
    assert "larger than any memory of a core" in outcome.output
