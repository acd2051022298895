"""What a user can write wrongly: one clear line and the right exit code, never a traceback or hang.

Each was once a traceback, a hang, silence, or a line that did not say what is wrong or where.
"""

from __future__ import annotations

import re
import time

import pytest

from pto_harness import pto

IR = """
func.func @cube(%acc : !pto.tile<f32, 8, 8>, %pipe : TYPE {gm = 0x1000})
    attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
  pto.tpush %acc, %pipe PUSH : (!pto.tile<SHAPE>, !pto.tpipe<...>)
}
func.func @vector(%tile : !pto.tile<f32, 8, 8>, %pipe : OTHER {gm = 0x1000})
    attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
  pto.tpop pipe(%pipe : !pto.tpipe<...>) outs(%tile : !pto.tile<f32, 8, 8>)
}
"""
PLAIN = "!pto.tpipe<0, C2V, 256, 2, 2>"


def ir(kind=PLAIN, other=None, push="", shape="f32, 8, 8"):
    text = IR.replace("TYPE", kind).replace("OTHER", other or kind)
    return text.replace("PUSH", push).replace("SHAPE", shape)


PYTHON = """
import numpy as np
from tilelab.pto import Cluster, Direction, Tile, TileSplitAxis, TileType, TPipe

PIPE = TPipe(0, Direction.DIR_C2V, SIZE, 2)
cluster = CLUSTER

def cube(core):
    pipe = core.open(PIPE, 0x1000)
    BEFORE
    yield from pipe.tpush(Tile(TileType.Acc, np.float32, 8, 8), SPLIT)

def vec(core):
    pipe = core.open(PIPE, 0x1000)
    yield from pipe.tpop(Tile(TileType.Vec, np.float32, 8, 8))
"""


def python(before="pass", split="TileSplitAxis.TILE_NO_SPLIT", size="256", cluster="{}"):
    text = PYTHON.replace("BEFORE", before).replace("SPLIT", split)
    return text.replace("SIZE", size).replace("CLUSTER", cluster)


FILES = {
    "a split of 9": (ir(push="{split = 9}"), r"line 4: .*split is 0 to 4, not 9"),
    "a thousand million slots": (
        ir("!pto.tpipe<0, C2V, 256, 1000000000, 2>"),
        "SlotNum can be at most 4096",
    ),
    "a type that the tile has not": (ir(shape="f16, 64, 64"), "line 4: .*not !pto.tile<f16"),
    "a sixth parameter": (ir("!pto.tpipe<0, C2V, 256, 2, 2, banana>"), "line 2: .*'banana'"),
    "SlotNum differs": (ir(other="!pto.tpipe<0, C2V, 256, 3, 2>"), "SlotNum [23] and [23]"),
    "SlotSize differs": (ir(other="!pto.tpipe<0, C2V, 512, 2, 2>"), "SlotSize .* and "),
    "LocalSlotNum differs": (
        ir(other="!pto.tpipe<0, C2V, 256, 2, 4>"),
        "LocalSlotNum [24] and [24]",
    ),
    "a split of 7": (python(split="7"), "split is one of .*, not 7"),
    "a split that is a word": (python(split="'up'"), "split is one of .*, not 'up'"),
    "options that are a number": (python(cluster="5"), "cluster"),
    "a memory of -5 bytes": (python(cluster="{'gm_bytes': -5}"), "gm_bytes .*not -5"),
    "flag_bits that is a word": (python(cluster="{'flag_bits': 'x'}"), "flag_bits .*'x'"),
    "a program that yields 5": (python("yield 5"), "yields 5"),
    "half a byte": (python(size="256.5"), "SlotSize must be a whole number, got 256.5"),
    "an offset below 0": (python("pipe.prod.setEntryOffset(-64)"), "entry offset .*not -64"),
    "a tile below 0": (python("pipe.prod.setTileId(-3, 0)"), "tile's number .*not -3"),
}


WHILE_RUNNING = {  # a mistake that only the running program makes: 1, as for what it does wrong
    "a split of 7",
    "a split that is a word",
    "a program that yields 5",
    "an offset below 0",
    "a tile below 0",
}


def one_line(outcome, told, code=2):
    assert outcome.exit_code == code, outcome.output
    lines = outcome.stderr.strip().splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("tilelab: ")
    assert re.search(told, lines[0]), lines[0]


@pytest.mark.parametrize("what", FILES)
def test_a_bad_program_gets_one_line(what, tmp_path):
    text, told = FILES[what]
    file = tmp_path / ("bad.pto" if text.startswith("\nfunc") else "bad.py")
    file.write_text(text, encoding="utf-8")
    start = time.monotonic()
    one_line(pto("run", str(file)), told, 1 if what in WHILE_RUNNING else 2)
    assert time.monotonic() - start < 20  # a shared machine; one of them never ended


def test_a_good_program_runs(tmp_path):
    for name, text in (("good.pto", ir()), ("good.py", python())):
        (tmp_path / name).write_text(text, encoding="utf-8")
        outcome = pto("run", str(tmp_path / name))
        assert outcome.exit_code == 0, outcome.output


def test_a_protocol_that_the_flags_cannot_hold_gets_one_line():
    outcome = pto("explore", "--protocol", "tagged", "--slots", "9")
    one_line(outcome, "tagged|flag")


def test_what_is_no_kernel_gets_one_line(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("int main() {}", encoding="utf-8")
    outcome = pto("cc", str(file), "--pto-isa", str(tmp_path))
    assert outcome.exit_code == 2
    assert outcome.output.strip().endswith("notes.txt: a kernel is one of .cpp, .cc, .cxx, .c++")
