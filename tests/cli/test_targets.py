"""What ``run`` and ``view`` are given: read once, each reported, whatever is wrong with others."""

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from command import Outcome, tilelab

from tilelab.elf.writer import ElfBuilder

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
DATACOPY = EXAMPLES / "datacopy"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="pipes and permissions as on Linux")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def call(*arguments: object) -> Outcome:
        return tilelab(capsys, "run", "--engine", "reference", *arguments)

    return call


def piped(path: Path, data: bytes) -> Path:
    """A named pipe that gives some bytes, once."""
    os.mkfifo(path)
    threading.Thread(target=path.write_bytes, args=(data,), daemon=True).start()
    return path


@LINUX
def test_a_pipe_is_read_once(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    outcome = run(piped(tmp_path / "p", b"ttnop\nttnop\n"), "--json")
    (kernel,) = json.loads(outcome.out)["kernels"]
    assert (outcome.code, kernel["threads"]["1"]["pushed"]) == (0, 2)
    program = (DATACOPY / "math.elf").read_bytes()
    outcome = run(piped(tmp_path / "math", program), "--json")
    assert json.loads(outcome.out)["kernels"][0]["error"]["category"] == "Deadlock"
    assert run(piped(tmp_path / "x", b"ttnopp\n")).complaint.endswith("did you mean ttnop?")


@LINUX
@pytest.mark.parametrize("verb", ["run", "view", "asm", "expand"])
def test_what_the_shell_substitutes_for_a_file_is_read(tmp_path: Path, verb: str) -> None:
    script = f'"{sys.executable}" -m tilelab {verb} <(echo ttnop; echo ttnoop)'
    done = subprocess.run(
        ["bash", "-c", script],
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "2: unknown mnemonic 'ttnoop'" in done.stderr


@LINUX
def test_a_pipe_is_no_kernel_file(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    os.mkfifo(tmp_path / "kernel.toml")
    complaint = f"{tmp_path / 'kernel.toml'}: cannot be read: it is no file"
    assert run(tmp_path / "kernel.toml").complaint == complaint
    assert run(tmp_path).complaint == complaint


def test_what_is_missing_does_not_stop_the_others(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    good, empty = tmp_path / "good.s", tmp_path / "empty"
    good.write_text("ttnop\n")
    empty.mkdir()
    (tmp_path / "bad.elf").write_bytes(b"\x7fELF")
    names = [good, "nosuch", empty, tmp_path / "bad.elf", tmp_path / "good.s"]
    outcome = run(*names, "--json")
    assert outcome.code == 2
    found = json.loads(outcome.out)["kernels"]
    assert [entry["passed"] for entry in found] == [True, False, False, True, False]
    summaries = [entry["error"]["summary"] for entry in found if not entry["passed"]]
    assert summaries[0] == "nosuch: no such file or folder"
    assert summaries[1].endswith("no kernel.toml in this folder or below it")
    assert summaries[2].endswith("is a truncated ELF file")
    text = run(*names)
    assert text.code == 2
    assert "2 of 5 passed" in text.out
    assert text.err.count("\n") == 3


def test_one_that_is_missing_is_a_document_too(run) -> None:  # type: ignore[no-untyped-def]
    outcome = run("nosuch", "--json")
    assert outcome.code == 2
    (entry,) = json.loads(outcome.out)["kernels"]
    assert entry["error"]["category"] == "BadInput"


@pytest.mark.parametrize("others", [(), ("math.elf",)], ids=["alone", "in a set"])
def test_elfs_of_which_one_is_wrong_are_one_failure(  # type: ignore[no-untyped-def]
    run, tmp_path: Path, others: tuple[str, ...]
) -> None:
    (tmp_path / "unpack.elf").write_bytes(ElfBuilder().add(".init", 0x6001, bytes(8)).build())
    program = tmp_path / "k.s"
    program.write_text("ttnop\n")
    names = [tmp_path / "unpack.elf", *(DATACOPY / name for name in others), program]
    outcome = run(*names, "--json")
    bare, elfs = json.loads(outcome.out)["kernels"]
    assert (outcome.code, bare["passed"], elfs["passed"]) == (2, True, False)
    assert "where no instruction can be" in elfs["error"]["summary"]


BOUND = "-dac_override,-dac_read_search"
PLAIN_USER = ["setpriv", f"--bounding-set={BOUND}", f"--inh-caps={BOUND}"]
"""Takes root's right to read everything away."""


def as_plain_user(arguments: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run tilelab as somebody whom permissions concern."""
    return subprocess.run(
        [
            *(PLAIN_USER if os.geteuid() == 0 else []),
            *(sys.executable, "-m", "tilelab", *arguments),
        ],
        check=False,
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
    )


needs_permissions = pytest.mark.skipif(
    sys.platform != "linux" or (os.geteuid() == 0 and not shutil.which("setpriv")),
    reason="permissions as on Linux; root needs setpriv",
)


@needs_permissions
def test_a_folder_that_cannot_be_searched_is_reported(tmp_path: Path) -> None:
    kernels = tmp_path / "kernels"
    shutil.copytree(DATACOPY, kernels / "a")
    shutil.copytree(DATACOPY, kernels / "locked")
    (kernels / "locked").chmod(0)
    arguments = ["run", "--engine", "reference", "--json"]
    done = as_plain_user([*arguments, "kernels"], tmp_path)
    assert done.returncode == 2
    good, locked = json.loads(done.stdout)["kernels"]
    assert good["passed"]
    assert locked["error"]["summary"] == (
        "kernels/locked: cannot be searched for kernels: Permission denied"
    )
    alone = as_plain_user(["run", "kernels/locked"], tmp_path)
    assert (alone.returncode, alone.stderr.count("\n")) == (2, 1)
    assert "kernels/locked" in alone.stderr
    assert "Permission denied" in alone.stderr
    inside = as_plain_user(["run", "kernels/locked/kernel.toml"], tmp_path)
    assert inside.stderr == "tilelab: kernels/locked/kernel.toml: Permission denied\n"
    (kernels / "locked").chmod(0o755)


@needs_permissions
@pytest.mark.parametrize("name", ["a.npy", "math.elf", "kernel.toml"])
def test_a_file_that_may_not_be_read_is_called_so(tmp_path: Path, name: str) -> None:
    shutil.copytree(DATACOPY, tmp_path / "k")
    files = {"a.npy": next((tmp_path / "k").glob("*.npy")).name}
    (tmp_path / "k" / files.get(name, name)).chmod(0)
    done = as_plain_user(["run", "--engine", "reference", "k"], tmp_path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "Permission denied" in done.stderr
    assert "not a NumPy" not in done.stderr
    assert "write" not in done.stderr


def npy(shape: str, kind: str = "<f4", data: bytes = b"") -> bytes:
    header = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "is not a NumPy array (.npy)"),
        (b"PK\x03\x04zip", "is not a NumPy array (.npy)"),
        (npy("(32, 32)"), "is a damaged or truncated NumPy array (.npy)"),
        (npy("(32, 32"), "is a damaged or truncated NumPy array (.npy)"),
        (npy("(4,)", "|O", b"\x80\x04N."), "holds Python objects, not numbers"),
        (npy("(4,)", "<c8", bytes(32)), "holds complex64 elements, not numbers"),
        (npy("(4,)", "|V2", bytes(8)), "holds |V2 elements, not numbers: save it as float32"),
        (npy("(0, 32)"), "holds no element"),
        (npy("(99999999999999, 99999999999)"), "is a damaged or truncated NumPy array (.npy)"),
    ],
)
def test_an_array_that_is_none_is_called_so(
    run, tmp_path: Path, data: bytes, complaint: str
) -> None:  # type: ignore[no-untyped-def]
    shutil.copytree(DATACOPY, tmp_path / "k")
    array = next((tmp_path / "k").glob("*.npy"))
    array.write_bytes(data)
    outcome = run(tmp_path / "k")
    assert outcome.code == 2
    assert outcome.complaint.endswith(f"{array.name} {complaint}")
    assert "allow_pickle" not in outcome.err


def test_a_huge_array_of_which_little_is_placed_is_not_read_whole(  # type: ignore[no-untyped-def]
    run, tmp_path: Path
) -> None:
    shutil.copytree(DATACOPY, tmp_path / "k")
    text = (tmp_path / "k" / "kernel.toml").read_text()
    assert "inputs" in text
    array = next((tmp_path / "k").glob("*.npy"))
    head = npy("(1048576, 8192)")
    with array.open("wb") as file:
        file.write(head)
        file.truncate(len(head) + (1 << 35))
    outcome = run(tmp_path / "k")
    assert outcome.code in (1, 2)
    assert "memory" not in outcome.err


def test_a_long_search_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.setattr("tilelab.runs.targets.LONG", -1.0)
    outcome = tilelab(capsys, "run", tmp_path)
    assert outcome.code == 2
    first, *others = outcome.err.splitlines()
    assert first == f"tilelab: {tmp_path}: searching it for kernels"
    assert others == [f"tilelab: {tmp_path}: no kernel.toml in this folder or below it"]
