"""The IR: parse and print are inverse; what is not in the subset is refused with its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelab.pto.errors import IRError
from tilelab.pto.ir import Function, Module, Op, Operand, Param, parse, show
from tilelab.pto.ir_run import run_text
from tilelab.pto.ir_types import tile_spec, tmpipe, tpipe
from tilelab.sim.errors import BadInputError

EXAMPLES = Path(__file__).parents[2] / "examples" / "pto"

names = st.text("abcxyz_", min_size=1, max_size=4)
values = names.map(lambda name: f"%{name}")
types = st.sampled_from(
    ["!pto.tile<f32, 8, 8>", "!pto.tile_buf<vec, f16, 4, 4>", "!pto.tpipe<...>", "i32", "index"]
)
attributes = st.dictionaries(
    names, st.one_of(st.integers(-9, 99), st.booleans(), names,
              st.sampled_from(["@peer", "#pto.a<b>"])),
    max_size=3,
)  # fmt: skip
ssa = st.builds(
    lambda result, operands, kinds, arrow: Op(
        "pto.tpop", result, [Operand(o) for o in operands], {}, kinds, arrow, [], "ssa"
    ),
    st.one_of(st.just(""), values), st.lists(values, min_size=1, max_size=2),
    st.lists(types, min_size=1, max_size=2), st.sampled_from(["", "!pto.record_event"]),
)  # fmt: skip
dps = st.builds(
    lambda a, b, kind: Op(
        "pto.tpop", "", [Operand(a, "pipe", "", kind), Operand(b, "outs", "", kind)], style="dps"
    ),
    values, values, types,
)  # fmt: skip
calls = st.builds(
    lambda a, b, extra, arrow: Op(
        "pto.tpush", "", [Operand(a), Operand(b, "", "key", "i32")], extra, [], arrow
    ),
    values, values, attributes, st.sampled_from(["", "!pto.pipe"]),
)  # fmt: skip
constants = st.builds(
    lambda result, value: Op("arith.constant", result, [], {"value": value}, [], "i32"),
    values, st.integers(-(2**31), 2**31),
)  # fmt: skip
ops = st.recursive(
    st.lists(st.one_of(ssa, dps, calls, constants, st.just(Op("return"))), max_size=4),
    lambda inner: st.builds(
        lambda v, a, body: [
            Op("scf.for", "", [Operand(a), Operand(a), Operand(a)], {"variable": v}, [], "", body)
        ],
        values, values, inner,
    ),
    max_leaves=4,
)  # fmt: skip
modules = st.builds(
    Module,
    st.lists(
        st.builds(
            lambda name, params, extra, body: Function(f"@{name}", params, extra, body),
            names, st.lists(st.builds(Param, values, types, attributes), max_size=2), attributes,
            ops,
        ),
        max_size=3,
    ),
    attributes,
)  # fmt: skip


@given(modules)
def test_parse_inverts_show(module):
    assert parse(show(module)) == module


@pytest.mark.parametrize("name", ["pattern1.pto", "both_directions.pto"])
def test_examples_survive_printing(name):
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    module = parse(text)
    assert parse(show(module)) == module
    before, after = run_text(text), run_text(show(module))
    assert before.result.trace == after.result.trace


BAD = [
    ("func.func @f() {\n  pto.tpull %a\n}", "line 2: unknown operation 'pto.tpull'"),
    ("func.func @f() {\n  ~\n}", "line 2: unexpected '~'"),
    ("func.func @f(%p : !pto.tpipe<0, ) {}", "line 1: '<' is never closed"),
    ("func.func @f() {", "line 1: expected word, found 'the end'"),
    ("module { func.func @f() { pto.tpush %a, 3 } }", "expected a value, found '3'"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_syntax_errors_name_the_line(text, message):
    with pytest.raises(IRError) as error:
        parse(text)
    assert message in error.value.summary


def kernel(body, kind="cube", params=""):
    head = f"func.func @f({params}) attributes {{pto.kernel_kind = #pto.kernel_kind<{kind}>}}"
    return f"{head} {{\n{body}\n}}"


BAD_RUNS = [
    (kernel("pto.tpush %a, %b"), "line 2: %a is not defined"),
    (kernel("%a = arith.constant 1 : i32 pto.tpush %a, %a"), "takes one pipe and one tile"),
    (kernel("pto.tfree_from_aiv {split = 0}"), "before this function's initialize_pipe"),
    (kernel("%p = pto.initialize_l2l_pipe {dir_mask = 7, slot_size = 4} -> !pto.pipe"), "dir_mask"),
    (kernel("", params="%p : !pto.tpipe<0, UP, 4, 4>"), "'UP' is none of"),
    (kernel("", params="%p : !pto.tpipe<0, C2V>"), "is not <flag, direction"),
    (kernel("", params="%p : !pto.tpipe<zero, C2V, 4, 4>"), "must be integers"),
    (kernel("", params="%t : !pto.tile<f64, 4, 4>"), "is not <[place,] dtype"),
    (kernel("") + kernel(""), "two cube kernels"),
    (
        kernel("%b = pto.import_reserved_buffer {name = \"x\", peer_func = @g} -> i32"),
        "no function @g",
    ),
    (kernel("", params="%n : i32"), "needs a value"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), BAD_RUNS)
def test_programs_that_make_no_sense(text, message):
    with pytest.raises(BadInputError) as error:
        run_text(text)
    assert message in error.value.summary


def test_arguments_are_checked():
    text = kernel("return", params="%t : !pto.tile<f32, 4, 4>")
    with pytest.raises(BadInputError, match=r"argument t is \(2, 2\), not \(4, 4\)"):
        run_text(text, {"t": np.zeros((2, 2))})
    with pytest.raises(BadInputError, match="no parameter 'u'"):
        run_text(text, {"u": 1})


def test_types():
    pipe = tpipe("!pto.tpipe<0, C2V, 16384, 4, 2>", 1)
    assert (pipe.slot_size, pipe.slot_num, pipe.local_slot_num) == (16384, 4, 2)
    multi = tmpipe(
        "!pto.tmpipe<2, MAT_FIFO, 4, 1, !pto.tile<vec, f16, 128, 256>, "
        "!pto.tile<mat, f16, 256, 256>>",
        1,
    )
    assert (multi.depth, multi.slot_size) == (4, 131072)
    assert tile_spec("!pto.tile_buf<mat, bf16, 2, 3>", multi.prod.loc, 1).nbytes == 12


def test_synchronisation_operations():
    cube = kernel(
        "%f = arith.constant 5 : i64\n%c = arith.constant 0 : i64\n"
        "pto.set_cross_core %c, %f : i64, i64\npto.wait_flag_dev %f : i64"
    )
    vector = kernel(
        "%f = arith.constant 5 : i64\n%c = arith.constant 0 : i64\n"
        "pto.wait_flag_dev %f : i64\npto.set_cross_core %c, %f : i64, i64",
        "vector",
    )
    trace = run_text(cube + vector.replace("@f", "@g")).result.trace
    assert (trace[0].core, trace[0].phase) == ("cube", "SIGNAL")
    assert (trace[-1].core, trace[-1].phase) == ("cube", "WAIT")


def test_internal_pipe_operations():
    body = """
      %gm = arith.constant 4096 : i32
      %at = arith.constant 0 : i32
      %pipe = pto.initialize_l2g2l_pipe {dir_mask = 1, slot_size = 256, slot_num = 2}(%gm : i32,
      %at : i32) -> !pto.pipe
    """
    cube = kernel(body + "pto.tpush(%t, %pipe) {split = 1}", params="%t : !pto.tile<f32, 8, 8>")
    vector = kernel(
        body + "%t = pto.declare_tile -> !pto.tile_buf<f32, 4, 8>\n"
        "pto.tpop(%t, %pipe) {split = 1}\npto.tfree(%pipe) {split = 1}\npto.tdrain(%pipe)",
        "vector",
    ).replace("@f", "@g")
    for arch in ("a2a3", "a5"):
        popped = run_text(cube + vector, arch=arch).popped
        whole = np.vstack([popped["vec0"][0].data, popped["vec1"][0].data])
        np.testing.assert_array_equal(whole, np.arange(64).reshape(8, 8))


EVENTS = """
func.func @cube(%acc : !pto.tile<f32, 8, 8>, %pipe : !pto.tpipe<0, C2V, 256, 2, 2>)
    attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{
  %pushed = pto.tpush %acc, %pipe : (!pto.tile<f32, 8, 8>, !pto.tpipe<...>) -> !pto.record_event
  pto.tsync {waited} : !pto.record_event
}}
func.func @vector(%tile : !pto.tile<f32, 8, 8>, %pipe : !pto.tpipe<0, C2V, 256, 2, 2>)
    attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
  %popped = pto.tpop %pipe, %tile : (!pto.tpipe<...>, !pto.tile<f32, 8, 8>) -> !pto.record_event
  pto.tsync %popped : !pto.record_event
}}
"""


def test_an_event_is_waited_for():
    outcome = run_text(EVENTS.format(waited="%pushed"))
    waited = [str(event) for event in outcome.result.trace if event.op == "SYNC"]
    assert ["TPUSH tile 0 of TPipe0.C2V" in waited[0], len(waited)] == [True, 3]
    assert parse(show(parse(EVENTS.format(waited="%pushed")))) == parse(
        EVENTS.format(waited="%pushed")
    )


@pytest.mark.parametrize("waited", ["%acc", "%pipe", "%nothing", ""])
def test_only_events_are_waited_for(waited):
    with pytest.raises(IRError, match=r"event|not defined"):
        run_text(EVENTS.format(waited=waited))
