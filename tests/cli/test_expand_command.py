"""``tilelab expand``: the words, where they came from, and programs that expand too far."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import Outcome, tilelab

from tilelab.tensix.frontend.expand_words import expand

PROGRAM = """\
.mopcfg 0, 1
.mopcfg 1, 4                      # four replays
.mopcfg 2, { ttnop }
.mopcfg 3, { ttsetrwc 0,0,0,0,0,15 }
.mopcfg 4, { ttnop }
.mopcfg 5, { ttreplay 16,16,0,0 }
.mopcfg 6, { ttnop }
.mopcfg 7, { ttreplay 16,16,0,0 }
ttreplay 16,16,0,1
"""
PROGRAM += "ttmvmul 0,0,0,0\n" * 16 + "ttmop 1,0,0\n.thread 0\nttnop\n"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    def call(text: str, *arguments: object) -> Outcome:
        path = tmp_path / "k.s"
        path.write_text(text)
        return tilelab(capsys, "expand", path, *arguments)

    return call


def test_t14_the_hifi4_matmul_is_65_words(run: Any) -> None:
    document = json.loads(run(PROGRAM, "--json").out)
    math = document["threads"]["1"]
    assert (math["pushed"], math["issued"]) == (18, 65)
    assert math["words"] == ["0x26000000"] * 64 + ["0x3700000f"]
    assert document["threads"]["0"] == {"pushed": 1, "issued": 1, "words": ["0x02000000"]}


def test_the_provenance_of_every_word(run: Any) -> None:
    math = json.loads(run(PROGRAM, "--json", "--provenance").out)["threads"]["1"]
    assert len(math["provenance"]) == len(math["words"]) == 65
    first, last = math["provenance"][0], math["provenance"][-1]
    assert first["mop"]["role"] == "LoopOp"
    assert first["replay"] == {"slot": 16, "recorded_by_line": 10}
    assert (first["push"], first["line"], first["source"]) == (17, 26, "ttmop 1,0,0")
    assert last["mop"]["role"] == "EndOp0"
    assert last["replay"] is None


def test_the_text_says_what_became_of_each_line(run: Any) -> None:
    lines = run(PROGRAM, "--provenance").out.splitlines()
    assert lines[0] == "thread 0: 1 pushed, 1 issued"
    assert "thread 1: 18 pushed, 65 issued" in lines
    assert any(line.endswith(":26: ttmop 1,0,0 -> 65 words") for line in lines)
    assert lines[-1].split() == [
        *("64", "0x3700000f", "ttsetrwc", "0,0,0,0,0,15", "<", "k.s:26", ">"),
        *("MOP", "EndOp0[0,4]"),
    ]


def test_the_document_is_the_librarys_expansion(run: Any) -> None:
    text = ".mopcfg 1, 1\n.mopcfg 2, { ttsetc16 13,1 }\n.mopcfg 3, { ttnop }\nttmop_cfg 1\n"
    words = json.loads(run(text + "ttmop 0,20,1\n", "--json").out)["threads"]["1"]["words"]
    cfg = [0, 1, 0xB20D0001, 0x02000000]
    assert [int(w, 16) for w in words] == expand([0x03000001, 0x01140001], cfg).tolist()


def test_a_program_that_expands_too_far_is_refused_at_once(run: Any) -> None:
    outcome = run(PROGRAM, "--max-words", 64)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.complaint.endswith(
        "k.s:26: the program expands to more than 64 words; raise --max-words to see them all"
    )
    assert run(PROGRAM.replace(".thread 0\nttnop\n", ""), "--max-words", 65).code == 0
    outcome = run(PROGRAM, "--max-words", 65)
    assert "k.s:28: the program expands to more than 65 words" in outcome.complaint


def test_thirty_of_the_longest_mops_are_refused_by_default(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    replay = "{ ttreplay 0,32,0,0 }"
    cfg = "".join(f".mopcfg {i}, {127 if i < 2 else replay}\n" for i in range(9))
    text = "ttreplay 0,32,0,1\n" + "ttnop\n" * 32 + cfg + "ttmop 1,0,0\n" * 30
    outcome = run(text, "--max-words", 200_000)
    assert outcome.code == 2
    assert "more than 200,000 words" in outcome.complaint


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nowhere.s"], "nowhere.s: No such file or directory"),
        (["x" * 5000], "x" * 5000 + ": File name too long"),
        (["a\0b"], r"a\x00b: embedded null byte"),
        (["."], ".: Is a directory"),
        (["--max-words", "-1", "x"], "Invalid value for '--max-words'"),
        ([], "Missing argument"),
    ],
)
def test_bad_input(
    capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    outcome = tilelab(capsys, "expand", *arguments)
    assert outcome.code == 2
    assert outcome.complaint.startswith(complaint)
    assert outcome.err.count("\n") == 1


def test_bad_programs(run: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run("ttnop\nttbogus").complaint.endswith("k.s:2: unknown mnemonic 'ttbogus'")
    assert "'vax' is not one of 'blackhole', 'wormhole'" in run("ttnop", "--arch", "vax").complaint
    path = tmp_path / "binary.s"
    path.write_bytes(b"\xff")
    assert tilelab(capsys, "expand", path).complaint == f"{path}: not UTF-8 text (byte 0)"
    assert json.loads(run("", "--json").out) == {"threads": {}}
