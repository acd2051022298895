"""Mistyped commands, files and options: one clear line, exit code 2, nothing done, no traceback."""

from pathlib import Path

import pytest
from tests.cli.command import tilelab

KERNEL = str(Path(__file__).parents[2] / "examples" / "datacopy")
LINES = Path(__file__).with_name("mistyped.txt").read_text(encoding="utf-8")
FILES = {
    "ok.s": b"ttnop\n",
    "bad.s": b"ttfoo 1\n",
    "empty.s": b"",
    "empty": b"",
    "empty.elf": b"",
    "trunc.elf": b"\x7fELF\x01\x01\x01",
    "bin": bytes(range(256)),
    "k.py": b"x=1\n",
    "k.toml": b"x = 1\n",
    "t.toml": b"[[[",
    "x.cpp": b"int main(){}\n",
    "n.npy": b"x",
    "nul.s": b"ttnop\0\n",
    "two.s": b".thread 9\nttnop\n",
    "w.txt": b"0x1 zz\n",
    "c.case": b"[\n",
    "deep.json": b"{" * 10,
    "s.json": b"{}",
    "own.py": b"def f(:\n",
    "rows.tsv": b"a\tb\n",
    "p.pto": b"module {\n",
    "o.toml": b"x=[",
}


def commands() -> list[str]:
    return [line for line in LINES.splitlines() if not line.startswith("#")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("mistyped")
    for name, data in FILES.items():
        (made / name).write_bytes(data)
    (made / "dir").mkdir()
    return made


def test_the_table_is_long() -> None:
    assert len(set(commands())) == len(commands()) > 500


@pytest.mark.parametrize("line", commands())
def test_it_is_refused_in_one_line(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    before = sorted(folder.rglob("*"))
    outcome = tilelab(capsys, *line.replace("K", KERNEL, 1 if " K" in line else 0).split())
    assert outcome.code == 2
    assert outcome.out == ""
    said = [text for text in outcome.err.splitlines() if "compiling the fast engine" not in text]
    assert len(said) == 1, said
    assert said[0].startswith("tilelab: ")
    assert "Traceback" not in said[0]
    assert "defect of tilelab" not in said[0]
    assert sorted(folder.rglob("*")) == before
