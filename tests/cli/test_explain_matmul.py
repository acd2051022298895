"""``tilelab explain-matmul``."""

import json
from pathlib import Path

import numpy as np
import pytest

from tilelab.cli.main import main
from tilelab.tensix import explain_matmul


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    rng = np.random.default_rng(1)
    np.save(tmp_path / "a.npy", rng.standard_normal((3, 20)).astype(np.float32))
    np.save(tmp_path / "b.npy", rng.standard_normal((20, 2)))
    return ["-a", str(tmp_path / "a.npy"), "-b", str(tmp_path / "b.npy")]


def test_files(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--row", "2", "--column", "1", "--format", "fp16", "--fidelity", "hifi3"]
    options += ["--dst", "32", "--arch", "wormhole"]
    assert main(["explain-matmul", *files, *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = explain_matmul(
        np.load(files[1]), np.load(files[3]), 2, 1,
        data_format="fp16", fidelity="hifi3", dst_bits=32, arch="wormhole",
    )  # fmt: skip
    assert (found["result"], found["bits"]) == (expected.result, expected.bits)
    assert len(found["steps"]) == 3 * 2
    assert len(found["steps"][0]["groups"][1]["products"]) == 8
    assert main(["explain-matmul", *files, *options]) == 0
    text = capsys.readouterr().out
    assert "MVMUL 6 of 6: phase 2, k 16 to 31" in text
    assert f"result  {expected.result!r}  ({expected.bits:#010x} in fp32's layout)" in text


def test_random_operands_depend_on_the_seed(capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for seed in ("1", "1", "2"):
        assert main(["explain-matmul", "--k", "3", "--seed", seed, "--fidelity", "lofi"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1] != texts[2]
    assert ", 5 zero\n      k 8 to 15: nothing but zeros\n" in texts[0]


def test_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "errors.svg"
    command = ["explain-matmul", "--distribution", "normal", "--samples", "128"]
    assert main([*command, "--svg", str(picture), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["fidelity"] for row in document["fidelities"]] == [
        "lofi",
        "hifi2",
        "hifi3",
        "hifi4",
    ]
    assert picture.read_text().startswith("<svg")
    assert main(command) == 0
    assert "error / sum of |products| of 128 results" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-a", "{a}"], "give both -a and -b"),
        (["-a", "{a}", "-b", "{missing}"], "missing.npy: No such file"),
        (["-a", "{a}", "-b", "{text}"], "text.npy: is not a NumPy array (.npy)"),
        (["-a", "{a}", "-b", "{a}"], "they do not multiply"),
        (["--k", "0"], "'--k': it must be 1 or more"),
        (["--format", "int8"], "'int8' is not one of 'bf16'"),
        (["--svg", "x.svg"], "--picture is for --distribution"),
        (["--samples", "9"], "--samples is for --distribution"),
        (["-a", "{a}", "-b", "{a}", "--k", "3"], "--k excludes -a or -b"),
        (["--distribution", "normal", "-a", "{a}"], "-a excludes --distribution"),
        (["--distribution", "normal", "--svg", "{missing}/x"], "No such file"),
        (["--distribution", "odd"], "'odd' is not one of 'normal', 'uniform'"),
        (["--row", "-1"], "--row"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str],
    message: str,
    files: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "text.npy").write_text("hello")
    names = {
        "a": files[1],
        "missing": str(tmp_path / "missing.npy"),
        "text": str(tmp_path / "text.npy"),
    }
    assert main(["explain-matmul", *(item.format(**names) for item in arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1
