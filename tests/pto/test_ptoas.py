"""The assembler's files as they are: parsed, printed, parsed again, run to NumPy's result."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from ptoas_survey import survey

from tilelab.pto.errors import IRError
from tilelab.pto.ir import parse, show
from tilelab.pto.ir_run import run_module, run_text

ROOT = Path(os.environ.get("TILELAB_PTOAS", ""))
SET = "TILELAB_PTOAS" in os.environ
MAT = (
    "rows=16, cols=16, v_row=16, v_col=16, blayout=col_major, slayout=row_major, fractal=512, pad=0"
)
VEC = "rows=8, cols=16, v_row=8, v_col=16, blayout=row_major, slayout=none_box, fractal=512, pad=0"
FILE = f"""
// RUN: ptoas --pto-arch=a5 %s
module {{
  func.func @entry(%a: !pto.ptr<f32>, %out: !pto.ptr<f32>) attributes {{pto.entry}} {{
    func.call @cube(%a) : (!pto.ptr<f32>) -> ()
    func.call @vector(%out) : (!pto.ptr<f32>) -> ()
    return
  }}
  func.func private @cube(%x: !pto.ptr<f32>)
      attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{
    %zero = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %c256 = arith.constant 256 : index
    %buf = pto.import_reserved_buffer {{name = "fifo", peer_func = @vector}} -> i32
    pto.aic_initialize_pipe {{dir_mask = 1, slot_size = 1024}}
      (c2v_consumer_buf = %buf : i32, v2c_consumer_buf = %zero : i32)
    %mat = pto.alloc_tile : !pto.tile_buf<loc=mat, dtype=f32, {MAT}>
    %left = pto.alloc_tile : !pto.tile_buf<loc=left, dtype=f32, {MAT}>
    %right = pto.alloc_tile : !pto.tile_buf<loc=right, dtype=f32, {MAT}>
    %acc = pto.alloc_tile : !pto.tile_buf<loc=acc, dtype=f32, {MAT}>
    scf.for %i = %c0 to %c3 step %c1 {{
      %skip = arith.muli %i, %c256 : index
      %at = pto.addptr %x, %skip : <f32> -> <f32>
      %view = pto.make_tensor_view %at, shape = [%c16, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>
      %part = pto.partition_view %view, offsets = [%c0, %c0], sizes = [%c16, %c16] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<16x16xf32>
      pto.tload ins(%part : !pto.partition_tensor_view<16x16xf32>) outs(%mat : !pto.tile_buf<loc=mat, dtype=f32, {MAT}>)
      pto.tmov ins(%mat : !pto.tile_buf<loc=mat, dtype=f32, {MAT}>) outs(%left : !pto.tile_buf<loc=left, dtype=f32, {MAT}>)
      pto.tmov ins(%mat : !pto.tile_buf<loc=mat, dtype=f32, {MAT}>) outs(%right : !pto.tile_buf<loc=right, dtype=f32, {MAT}>)
      pto.tmatmul ins(%left, %right : !pto.tile_buf<loc=left, dtype=f32, {MAT}>, !pto.tile_buf<loc=right, dtype=f32, {MAT}>) outs(%acc : !pto.tile_buf<loc=acc, dtype=f32, {MAT}>)
      pto.tpush_to_aiv(%acc : !pto.tile_buf<loc=acc, dtype=f32, {MAT}>) {{split = 1}}
    }}
    return
  }}
  func.func private @vector(%y: !pto.ptr<f32>)
      attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    %zero = arith.constant 0 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c128 = arith.constant 128 : index
    %c256 = arith.constant 256 : index
    %buf = pto.reserve_buffer {{name = "fifo", size = 8192, location = <vec>, auto = true}} -> i32
    pto.aiv_initialize_pipe {{dir_mask = 1, slot_size = 1024}}
      (c2v_consumer_buf = %buf : i32, v2c_consumer_buf = %zero : i32)
    %neg = pto.alloc_tile : !pto.tile_buf<loc=vec, dtype=f32, {VEC}>
    %sub = pto.get_subblock_idx
    %lane = arith.index_cast %sub : i64 to index
    scf.for %i = %c0 to %c3 step %c1 {{
      %tile = pto.tpop_from_aic {{split = 1}} -> !pto.tile_buf<loc=vec, dtype=f32, {VEC}>
      pto.tneg ins(%tile : !pto.tile_buf<loc=vec, dtype=f32, {VEC}>) outs(%neg : !pto.tile_buf<loc=vec, dtype=f32, {VEC}>)
      pto.tadd ins(%neg, %neg : !pto.tile_buf<loc=vec, dtype=f32, {VEC}>, !pto.tile_buf<loc=vec, dtype=f32, {VEC}>) outs(%neg : !pto.tile_buf<loc=vec, dtype=f32, {VEC}>)
      pto.tfree_from_aic {{split = 1}}
      %skip = arith.muli %i, %c256 : index
      %half = arith.muli %lane, %c128 : index
      %there = arith.addi %skip, %half : index
      %at = pto.addptr %y, %there : <f32> -> <f32>
      %view = pto.make_tensor_view %at, shape = [%c8, %c16], strides = [%c16, %c1] : !pto.tensor_view<?x?xf32>
      pto.tstore ins(%neg : !pto.tile_buf<loc=vec, dtype=f32, {VEC}>) outs(%view : !pto.tensor_view<?x?xf32>)
    }}
    return
  }}
}}
"""


def run(text, **arguments):
    options = dict.fromkeys(("hazards", "leaks", "constraints", "capacity"), "record")
    return run_module(parse(text), arguments, protocol="sparse_fixed", **options)


def test_a_file_prints_as_it_parses_and_runs_to_numpys_result():
    module = parse(FILE)
    assert module.attributes["pto.arch"] == "a5"
    assert parse(show(module)) == module
    a = np.random.default_rng(4).integers(-9, 9, (3, 16, 16)).astype(np.float32)
    outcome = run(FILE, a=a)
    assert not outcome.result.findings
    got = outcome.buffers["out"][:768].reshape(3, 16, 16)
    np.testing.assert_array_equal(got, -2 * (a @ a))


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("dtype=f32, rows=8, cols=16, v_row=8", "dtype=f99, rows=8, cols=16, v_row=8", "f99"),
        ("sizes = [%c16, %c16]", "sizes = [%c256, %c16]", "not defined|outside|256"),
        ("pto.tneg ins(%tile", "pto.tneg ins(%tiel", "%tiel is not defined"),
        ("pto.tadd", "pto.tadx", "unknown operation"),
        ("slot_size = 1024}", "slot_size = 1024, nosplit = true}", "nosplit"),
        ("outs(%acc : !pto.tile_buf<loc=acc", "outs(%acc : !pto.tile_buf<loc=mat", "is Tile"),
    ],
)
def test_what_is_wrong_is_refused_with_its_reason(old, new, told):
    assert old in FILE
    with pytest.raises(Exception, match=told):
        run(FILE.replace(old, new))


def test_a_static_shape_with_operands_is_refused_as_the_assembler_does():
    text = FILE.replace("pto.tpop_from_aic {split", "pto.tpop_from_aic(%c8, %c16) {split")
    with pytest.raises(IRError, match="dynamic valid shape"):
        run(text)
    dynamic = text.replace(
        f"-> !pto.tile_buf<loc=vec, dtype=f32, {VEC}>",
        f"-> !pto.tile_buf<loc=vec, dtype=f32, {VEC.replace('v_row=8, v_col=16', 'v_row=?, v_col=?')}>",
    )
    parse(dynamic)


def test_branches_are_taken_by_their_condition():
    text = FILE.replace(
        "pto.tfree_from_aic {split = 1}",
        "%even = arith.cmpi eq, %i, %c1 : index\n"
        "scf.if %even {\n pto.tneg ins(%neg) outs(%neg)\n } else {\n }\n"
        "pto.tfree_from_aic {split = 1}",
    )
    assert parse(show(parse(text))) == parse(text)
    a = np.ones((3, 16, 16), np.float32)
    got = run(text, a=a).buffers["out"][:768].reshape(3, 16, 16)
    assert [got[n, 0, 0] for n in range(3)] == [-32, 32, -32]


def files():
    if not SET:
        return []
    found = sorted(ROOT.glob("test/**/*.pto"))
    return [f for f in found if any(w in f.read_text() for w in ("tpush", "tpop", "tfree"))]


@pytest.mark.skipif(not SET, reason="TILELAB_PTOAS: git clone github.com/hw-native-sys/PTOAS")
def test_public_files_parse_print_and_parse_again():
    assert files(), f"{ROOT}: no test/**/*.pto with tpush or tpop"
    failed = []
    for file in files():
        try:
            module = parse(file.read_text(encoding="utf-8"))
            assert parse(show(module)) == module
        except (IRError, AssertionError) as error:
            failed.append(f"{file.name}: {error}")
    assert len(failed) * 10 <= len(files()), failed


PLAIN = """module attributes {"pto.device-spec" = "Ascend910B3"} {
  func.func @scale(%from: !pto.ptr<f32>, %to: !pto.ptr<f32>, %less: i32) -> () {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %true = arith.constant true
    %in = pto.make_tensor_view %from, shape = [%c8, %c8], strides = [%c8, %c1]
        : !pto.tensor_view<?x?xf32>
    %out = pto.make_tensor_view %to, shape = [%c8, %c8], strides = [%c8, %c1]
        : !pto.tensor_view<?x?xf32>
    %a = pto.partition_view %in, offsets = [%c0, %c0], sizes = [%c8, %c8]
        : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<8x8xf32>
    %b = pto.partition_view %out, offsets = [%c0, %c0], sizes = [%c8, %c8]
        : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<8x8xf32>
    %t = pto.alloc_tile : !pto.tile_buf<loc=vec, dtype=f32, rows=8, cols=8, v_row=8, v_col=8>
    %m = pto.alloc_tile : !pto.tile_buf<loc=vec, dtype=f32, rows=8, cols=1, v_row=8, v_col=1>
    pto.tload ins(%a : !pto.partition_tensor_view<8x8xf32>)
              outs(%t : !pto.tile_buf<loc=vec, dtype=f32, rows=8, cols=8, v_row=8, v_col=8>)
    pto.barrier <PIPE_V>
    pto.trowmax ins(%t : !pto.tile_buf<loc=vec, dtype=f32, rows=8, cols=8, v_row=8, v_col=8>)
                outs(%m : !pto.tile_buf<loc=vec, dtype=f32, rows=8, cols=1, v_row=8, v_col=1>)
    %chosen = scf.if %true -> (!pto.tile_buf<loc=vec, dtype=f32, rows=8, cols=8>) {
      scf.yield %t : !pto.tile_buf<loc=vec, dtype=f32, rows=8, cols=8>
    } else {
      scf.yield %m : !pto.tile_buf<loc=vec, dtype=f32, rows=8, cols=1>
    }
    pto.trowexpandsub ins(%chosen, %m) outs(%t)
    pto.section.cube {
      pto.barrier <PIPE_M>
    }
    pto.section.vector {
      pto.tstore ins(%t : !pto.tile_buf<loc=vec, dtype=f32, rows=8, cols=8, v_row=8, v_col=8>)
                 outs(%b : !pto.partition_tensor_view<8x8xf32>)
    }
    return
  }
}
"""


def test_a_kernel_without_a_kind_runs_with_its_quoted_attributes_sections_and_branches():
    data = np.random.default_rng(3).standard_normal((8, 8)).astype(np.float32)
    outcome = run_text(PLAIN, {"from": data, "less": 1})
    result = outcome.buffers["to"][:64].reshape(8, 8)
    assert np.array_equal(result, data - data.max(axis=1, keepdims=True))
    module = parse(PLAIN)
    assert parse(show(module)) == module
    assert module.attributes == {"pto.device-spec": "Ascend910B3"}


def test_kernels_that_meet_in_no_pipe_run_one_after_another():
    second = PLAIN.replace("@scale", "@again").replace("%from", "%given").replace("%to", "%left")
    body = second[second.index("func.func") : second.rindex("}")]
    both = PLAIN.rstrip().removesuffix("}") + body + "}"
    data = np.ones((8, 8), np.float32)
    outcome = run_text(both, {"from": data, "given": data, "less": 1})
    assert {"to", "left"} <= outcome.buffers.keys()
    assert not outcome.buffers["left"][:64].any()


@pytest.mark.skipif(not SET, reason="TILELAB_PTOAS: git clone github.com/hw-native-sys/PTOAS")
def test_most_public_files_run_and_each_other_is_refused_by_name():
    found = survey(ROOT)
    runs = [name for name, (what, _) in found.items() if what == "runs"]
    assert len(runs) >= 0.6 * len(found), found
    others = {name: said for name, (what, said) in found.items() if what != "runs"}
    assert all(said and "Traceback" not in said for said in others.values()), others
