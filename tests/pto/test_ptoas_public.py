"""The public PTOAS files that use tpush, tpop or tfree: a verdict for each, and NumPy's result.

TILELAB_PTOAS names a checkout of github.com/hw-native-sys/PTOAS; without it these are skipped.
`VERDICTS` is what docs/pto-results.md tells.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tilelab.pto.errors import IRError
from tilelab.pto.ir import parse, show
from tilelab.pto.ir_run import run_module
from tilelab.sim.errors import TilelabError

ROOT = Path(os.environ.get("TILELAB_PTOAS", "")) / "test"
DOCS = Path(__file__).parents[2] / "docs" / "pto-results.md"
pytestmark = pytest.mark.skipif(
    "TILELAB_PTOAS" not in os.environ,
    reason="TILELAB_PTOAS is not set; git clone https://github.com/hw-native-sys/PTOAS",
)
COMPLETE, INCOMPLETE, FAULTY, INVALID = "complete", "incomplete", "faulty", "invalid"


class Verdict(NamedTuple):
    """What a file is, and what its run says (a pattern; "" for silence)."""

    kind: str
    says: str = ""
    arguments: tuple[tuple[str, object], ...] = ()


RING = np.zeros(2048, np.float32)
POINTERS = (("gm_slot_buffer", RING), ("c2v_consumer_buf", 0))
SHAPE = (("vr", 16), ("vc", 64))
VERDICTS = {
    "basic/issue481_addptr_gm_slot_buffer": Verdict(INCOMPLETE),
    "basic/issue489_interleaved_tpop_tfree_a3": Verdict(INCOMPLETE, "deadlock: vec0", POINTERS),
    "basic/test_tpush_tpop_roundtrip_nosplit_a5": Verdict(COMPLETE),
    "basic/tpush_tpop_dir_both": Verdict(FAULTY, "needs 2048 bytes of a 1024-byte slot"),
    "basic/tpush_tpop_dynamic_validshape_a5": Verdict(INCOMPLETE, "deadlock: cube", SHAPE),
    "basic/tpush_tpop_dynamic_validshape_default_a5": Verdict(INCOMPLETE, "deadlock: cube"),
    "basic/tpush_tpop_dynamic_validshape_invalid": Verdict(
        INVALID, "must have a dynamic valid shape"
    ),
    "basic/tpush_tpop_emitc": Verdict(
        FAULTY, "pushed with TILE_NO_SPLIT, popped with TILE_UP_DOWN", POINTERS
    ),
    "basic/tpush_tpop_frontend_lowering_a3": Verdict(INCOMPLETE),
    "basic/tpush_tpop_frontend_lowering_a5": Verdict(INCOMPLETE),
    "basic/tpush_tpop_frontend_mixed_split_a5": Verdict(INVALID, r"split = 0 .* and split = 1"),
    "basic/tpush_tpop_frontend_nosplit_a5": Verdict(INCOMPLETE),
    "basic/tpush_tpop_frontend_nosplit_conflict_a5": Verdict(INVALID, "nosplit = false, but"),
    "samples/TPushTPop/a3/test1/kernel": Verdict(COMPLETE),
    "samples/TPushTPop/a3/test2/kernel": Verdict(COMPLETE),
    "samples/TPushTPop/test1/kernel": Verdict(COMPLETE),
    "samples/TPushTPop/test2/kernel": Verdict(COMPLETE),
    "samples/TPushTPop/test3/kernel": Verdict(COMPLETE),
    "samples/TPushTPop/test4/kernel": Verdict(COMPLETE),
    "samples/TPushTPop/test5/kernel": Verdict(
        FAULTY, "line 46: .* TLOAD at line 42 put there and nothing has read"
    ),
}
A, LHS, RHS, OUT = (
    np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float32)
    for seed, shape in enumerate([(16, 16), (16, 64), (64, 512), (16, 512)])
)


def text_of(name):
    return (ROOT / f"{name}.pto").read_text(encoding="utf-8")


def module(name):
    return parse(text_of(name))


def run(name, program=None, **arguments):
    options = dict.fromkeys(("hazards", "leaks", "constraints", "capacity"), "record")
    outcome = run_module(program or module(name), arguments, protocol="sparse_fixed", **options)
    return outcome, outcome.result.findings


def test_every_file_of_the_checkout_has_a_verdict():
    found = {
        str(file.relative_to(ROOT).with_suffix(""))
        for file in ROOT.glob("**/*.pto")
        if re.search("tpush|tpop|tfree", file.read_text(encoding="utf-8"))
    }
    assert found == set(VERDICTS), found ^ set(VERDICTS)


@pytest.mark.parametrize("name", VERDICTS)
def test_it_prints_as_it_parses_and_its_run_says_what_it_is(name):
    verdict = VERDICTS[name]
    assert parse(show(module(name))) == module(name)
    if verdict.kind == INVALID:
        with pytest.raises(IRError, match=verdict.says):
            run(name, **dict(verdict.arguments))
        return
    try:
        said = "; ".join(f.message for f in run(name, **dict(verdict.arguments))[1])
    except TilelabError as error:
        said = error.summary
    assert re.search(verdict.says, said) if verdict.says else not said, said


def printed(outcome, core):
    return [array for name, array in outcome.printed if name == core]


@pytest.mark.parametrize(
    ("name", "split"),
    [("samples/TPushTPop/test1/kernel", True), ("samples/TPushTPop/a3/test1/kernel", False)],
)
def test_a_matmul_prints_numpys_product(name, split):
    outcome, findings = run(name, gm_a=A, gm_b=A.T)
    whole = A @ A.T
    for core, half in (("vec0", whole[:8]), ("vec1", whole[8:])):
        np.testing.assert_array_equal(printed(outcome, core), [half if split else whole])
    assert not findings


@pytest.mark.parametrize(
    ("name", "split"),
    [("samples/TPushTPop/test2/kernel", True), ("samples/TPushTPop/a3/test2/kernel", False)],
)
def test_four_matmuls_print_numpys_products(name, split):
    b = RHS.reshape(-1)[: 64 * 16].reshape(4, 16, 16)
    outcome, findings = run(name, gm_a=A, gm_b_all=b)
    wholes = A @ b
    for core, halves in (("vec0", wholes[:, :8]), ("vec1", wholes[:, 8:])):
        np.testing.assert_array_equal(printed(outcome, core), halves if split else wholes)
    assert not findings


def test_a_round_trip_prints_numpys_product():
    outcome, findings = run("samples/TPushTPop/test3/kernel", gm_src=A, gm_identity=A.T)
    np.testing.assert_array_equal(printed(outcome, "vec0"), [A @ A.T])
    assert not findings


def test_a_round_trip_without_split_stores_numpys_product():
    name = "basic/test_tpush_tpop_roundtrip_nosplit_a5"
    outcome, findings = run(name, gm_src=A, gm_identity=A.T, gm_out=np.zeros((16, 16)))
    np.testing.assert_array_equal(outcome.buffers["gm_out"].reshape(16, 16), A @ A.T)
    assert not findings


def added(name, program=None):
    columns = 512 if "test4" in name else 128
    rhs, out = RHS[:, :columns], OUT[:, :columns]
    outcome, findings = run(name, program, gm_lhs=LHS, gm_rhs=rhs, gm_out=out.copy())
    return outcome.buffers["gm_out"].reshape(16, columns), out + LHS @ rhs, findings


def test_products_are_added_to_what_lies_there():
    got, wanted, findings = added("samples/TPushTPop/test4/kernel")
    np.testing.assert_array_equal(got, wanted)
    assert not findings


def test_the_fifth_sample_loads_one_operand_over_the_other():
    """Its left operand lies at 16384 of L1 and its right one takes 0 to 32767."""
    name = "samples/TPushTPop/test5/kernel"
    got, wanted, findings = added(name)
    assert not np.array_equal(got, wanted)
    assert {f.code for f in findings} == {"H16"}
    apart = text_of(name).replace("arith.constant 16384 : i64", "arith.constant 32768 : i64")
    got, wanted, findings = added(name, parse(apart))
    np.testing.assert_array_equal(got, wanted)
    assert not findings


def test_the_documents_tell_every_verdict():
    text = DOCS.read_text(encoding="utf-8")
    for name, verdict in VERDICTS.items():
        row = re.search(rf"^\| `{re.escape(name)}` \|(.*)$", text, re.MULTILINE)
        assert row, name
        assert verdict.kind in row[1], name
