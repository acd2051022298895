"""Forms of the assembler's files beyond its pipes: memrefs, loops that carry, tiles that change."""

import ml_dtypes
import numpy as np
import pytest

from tilelab.pto.errors import IRError, ProtocolOrderError
from tilelab.pto.ir import parse, show
from tilelab.pto.ir_convert import convert
from tilelab.pto.ir_run import run_text
from tilelab.sim.errors import BadInputError

GM = "#pto.address_space<gm>"
UB = "#pto.address_space<vec>"


def tile(rows=8, cols=8, more="", dtype="f32"):
    return f"!pto.tile_buf<loc=vec, dtype={dtype}, rows={rows}, cols={cols}{more}>"


def kernel(body, params="%from: memref<8x8xf32, GM>, %to: memref<8x8xf32, GM>"):
    text = f"module {{\n func.func @kernel({params}) {{\n{body}\n  return\n }}\n}}"
    return text.replace("GM>", f"{GM}>").replace("UB>", f"{UB}>")


LOAD = f"""
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %t = pto.alloc_tile : {tile()}
  pto.tload ins(%from : memref<8x8xf32, GM>) outs(%t : {tile()})
"""
STORE = f"  pto.tstore ins(%t : {tile()}) outs(%to : memref<8x8xf32, GM>)"


def run(body, **arguments):
    data = np.arange(64, dtype=np.float32).reshape(8, 8)
    text = kernel(body)
    assert parse(show(parse(text))) == parse(text)
    return data, run_text(text, {"from": data, **arguments}).buffers["to"][:64].reshape(8, 8)


def test_memrefs_are_tensors_in_global_memory_and_tiles_in_a_core():
    text = kernel(
        "%a = memref.alloc() : memref<4x2x8xf32, UB>\n"
        "pto.tload ins(%from : memref<8x8xf32, GM>) outs(%a : memref<4x2x8xf32, UB>)\n"
        "pto.tstore ins(%a : memref<4x2x8xf32, UB>) outs(%to : memref<8x8xf32, GM>)"
    )
    data = np.random.default_rng(1).standard_normal((8, 8)).astype(np.float32)
    assert np.array_equal(run_text(text, {"from": data}).buffers["to"][:64].reshape(8, 8), data)


def test_a_loop_hands_values_from_pass_to_pass():
    body = f"""{LOAD}
  %end:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%n = %c1, %u = %t) -> (index, {tile()}) {{
    pto.tadds ins(%u, %one) outs(%u)
    %next = arith.addi %n, %i : index
    scf.yield %next, %u : index, {tile()}
  }}
  %seven = arith.cmpi eq, %end#0, %c4 : index
  %what, %else = scf.if %seven -> (index, index) {{
    scf.yield %c1, %c0 : index, index
  }} else {{
    scf.yield %c4, %c1 : index, index
  }}
  %enough = arith.cmpi eq, %what, %c4 : index
  scf.if %enough {{
    pto.tadds ins(%end#1, %one) outs(%t)
  }}
{STORE}"""
    data, got = run(body)
    assert np.array_equal(got, data + 5)


def test_a_while_loop_ends_by_its_condition():
    body = f"""{LOAD}
  %true = arith.constant true
  %false = arith.constant false
  %last:2 = scf.while (%i = %c0, %on = %true) : (index, i1) -> (index, i1) {{
    %less = arith.cmpi slt, %i, %c4 : index
    %go = arith.andi %less, %on : i1
    scf.condition(%go) %i, %on : index, i1
  }} do {{
  ^bb0(%j: index, %still: i1):
    pto.tadds ins(%t, %one) outs(%t)
    %k = arith.addi %j, %c1 : index
    %two = arith.cmpi eq, %j, %c1 : index
    %more = arith.select %two, %false, %true : i1
    scf.yield %k, %more : index, i1
  }}
{STORE}"""
    data, got = run(body)
    assert np.array_equal(got, data + 2)


def test_padding_fills_what_a_valid_shape_leaves():
    dynamic = tile(more=", v_row=?, v_col=?")
    padded = tile(more=", v_row=8, v_col=8, pad=3")
    body = f"""{LOAD}
  %c3 = arith.constant 3 : index
  %part = pto.alloc_tile valid_row = %c4 valid_col = %c4 : {dynamic}
  %view = pto.subset %t[%c1, %c0] sizes [3, 4] : {tile()}
  pto.set_validshape %part, %c3, %c4 : {dynamic}
  pto.tmov ins(%view) outs(%part)
  %full = pto.alloc_tile : {padded}
  pto.tfillpad ins(%part : {dynamic}) outs(%full : {padded})
  pto.tstore ins(%full) outs(%to : memref<8x8xf32, GM>)"""
    data, got = run(body)
    assert np.array_equal(got[:3, :4], data[1:4, :4])
    got[:3, :4] = -np.inf
    assert (got == -np.inf).all()


def test_a_reshaped_tile_is_the_same_elements():
    body = f"""{LOAD}
  %line = pto.treshape %t : {tile()} -> {tile(1, 64)}
  pto.tadds ins(%line, %one) outs(%line)
{STORE}"""
    data, got = run(body)
    assert np.array_equal(got, data + 1)
    with pytest.raises(IRError, match="layout"):
        run(body.replace(f"-> {tile(1, 64)}", f"-> {tile(4, 16, ', blayout=col_major')}"))


@pytest.mark.parametrize(
    ("operation", "result"),
    [
        ("pto.taxpy ins(%t, %one) outs(%t)", lambda a: 2 * a),
        ("pto.trems ins(%t, %five, %t) outs(%t)", lambda a: np.fmod(a, 5)),
        ("pto.taddc ins(%t, %t, %t) outs(%t)", lambda a: 3 * a),
        ("pto.tpartmul ins(%t, %t) outs(%t)", lambda a: a * a),
    ],
)
def test_operations_on_elements_give_numpys_result(operation, result):
    data, got = run(f"{LOAD}  %five = arith.constant 5.0 : f32\n  {operation}\n{STORE}")
    assert np.array_equal(got, result(data))


def test_tiles_of_unlike_shapes_are_refused_not_broadcast():
    body = f"{LOAD}  %row = pto.alloc_tile : {tile(1)}\n  pto.tadd ins(%t, %row) outs(%t)"
    with pytest.raises(IRError, match="tiles of 1x8 and 8x8"):
        run(body)


def test_a_number_that_no_argument_gives_is_asked_for_and_a_star_gives_it():
    text = kernel(f"{LOAD}\n pto.tmuls ins(%t, %x) outs(%t)\n{STORE}").replace(
        "%to: memref", "%x: f32, %to: memref"
    )
    with pytest.raises(BadInputError, match=r"--arg x=1"):
        run_text(text)
    outcome = run_text(text, {"from": np.ones((8, 8)), "*": 3})
    assert (outcome.buffers["to"][:64] == 3).all()


def test_a_constant_in_hexadecimal_is_a_floats_bits():
    body = f"{LOAD}  %low = arith.constant 0xFF800000 : f32\n pto.tmaxs ins(%t, %low) outs(%t)"
    text = kernel(body)
    module = parse(text)
    values = [op.attributes["value"] for op in module.functions[0].body if "value" in op.attributes]
    assert values[-1] == -np.inf
    assert parse(show(module)) == module


@pytest.mark.parametrize("mode", ["RINT", "ROUND", "FLOOR", "CEIL", "TRUNC"])
def test_floats_become_narrower_by_the_mode_that_is_written(mode):
    values = np.random.default_rng(5).standard_normal(4096).astype(np.float32)
    values[:256] = (1 + (np.arange(256) - 128.5) / 256 / 256).astype(np.float32)
    values[256:512] = ((np.arange(256) + 0.5) / 128 - 1).astype(np.float32)
    got = convert(values, np.dtype(ml_dtypes.bfloat16), (f"round_mode {mode}",), 1)
    bits = values.view(np.uint32).astype(np.int64)
    low, rest = bits >> 16, bits & 0xFFFF
    up = {
        "RINT": (rest > 0x8000) | ((rest == 0x8000) & (low & 1 == 1)),
        "ROUND": rest >= 0x8000,
        "FLOOR": (rest > 0) & (values < 0),
        "CEIL": (rest > 0) & (values > 0),
        "TRUNC": np.zeros_like(rest, bool),
    }[mode]
    assert np.array_equal(got.view(np.uint16), (low + up).astype(np.uint16))


def locks(body):
    return kernel(body, "").replace("T>", "#pto.pipe_event_type<TLOAD>")


def test_locks_of_a5_must_be_released_by_their_own_pipe():
    get, release = "pto.get_buf[T>, 0]", "pto.rls_buf[T>, 0]"
    run_text(locks(f"{get}\n{release}\n{get}\n{release}"), arch="a5")
    with pytest.raises(ProtocolOrderError, match="TLOAD holds buffer 0: the pipe hangs"):
        run_text(locks(f"{get}\n{get}"), arch="a5")
    with pytest.raises(ProtocolOrderError, match="TLOAD does not hold buffer 0"):
        run_text(locks(release), arch="a5")
    with pytest.raises(IRError, match="A5 alone has it"):
        run_text(locks(get))
