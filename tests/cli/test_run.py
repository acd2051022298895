"""``tilelab run``: verdicts, exit codes, documents, and one clear line for everything wrong."""

import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import Outcome, tilelab
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from riscv_program import HALT, T0, T2, bne, li, lw, store
from tilelab.cli import run as run_command
from tilelab.cli.main import main
from tilelab.elf.writer import ElfBuilder

EXAMPLES = Path(__file__).parents[2] / "examples"
DATACOPY = EXAMPLES / "datacopy"
REFERENCE = ("--engine", "reference")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: object) -> Outcome:
        return tilelab(capsys, "run", *REFERENCE, *arguments)

    return call


def code(words: list[int]) -> bytes:
    return b"".join(word.to_bytes(4, "little") for word in words)


def elf(folder: Path, words: list[int], core: str = "trisc1", address: int = 0x8000) -> Path:
    path = folder / f"{core}.elf"
    path.write_bytes(ElfBuilder().add(".init", address, code(words)).build())
    return path


def kernel(folder: Path, words: list[int], **output: object) -> Path:
    """A kernel of one core that leaves 4 floats at 0x3000 and says so at 0x4000."""
    elf(folder, words)
    np.save(folder / "want.npy", np.array([[1, 2, 3, 4]], np.float32))
    keys = {"expect": '"want.npy"'} | output
    (folder / "kernel.toml").write_text(
        'elfs = { trisc1 = "trisc1.elf" }\n'
        "done.mailboxes = { trisc1 = 0x4000 }\n"
        "[[outputs]]\naddress = 0x3000\nshape = [1, 4]\n"
        'format = "fp32"\nlayout = "row_major"\n'
        + "".join(f"{key} = {value}\n" for key, value in keys.items() if value)
    )
    return folder / "kernel.toml"


def leaves(*values: float) -> list[int]:
    """A program that leaves these floats and is done."""
    bits = np.array(values, np.float32).view(np.uint32).tolist()
    stores = [w for i, b in enumerate(bits) for w in store(0x3000 + 4 * i, b)]
    return [*stores, *store(0x4000, 0xFF), HALT]


# ------------------------------------------------------------------ what goes well


def test_a_kernel_passes_and_says_what_it_expanded(run: Any) -> None:
    outcome = run(DATACOPY)
    assert outcome.code == 0
    assert outcome.err == "", "no progress where nobody watches"
    assert "PASS  datacopy" in outcome.out
    assert "4096 elements right" in outcome.out
    assert "every byte equal" in outcome.out


def test_the_document_is_stable_and_complete(run: Any) -> None:
    first, second = run(DATACOPY, "--json"), run(DATACOPY / "kernel.toml", "--json")
    assert first == second
    (entry,) = json.loads(first.out)["kernels"]
    assert set(entry) == {
        *("name", "passed", "cycles", "outputs", "threads", "riscv_instructions"),
        *("expansions", "warnings", "prints"),
    }
    assert entry["passed"] is True
    assert entry["outputs"][0]["first_wrong"] is None
    assert set(entry["threads"]) == {"0", "1", "2"}
    assert entry["threads"]["2"]["opcodes"]["PACR"] > 0
    assert sum(entry["threads"]["0"]["units"].values()) == entry["threads"]["0"]["issued"]


def test_a_sweep_runs_all_kernels_below_a_folder(run: Any, tmp_path: Path) -> None:
    for name, words in (("b", leaves(1, 2, 3, 4)), ("a", leaves(1, 2, 3, 5))):
        (tmp_path / name).mkdir()
        kernel(tmp_path / name, words)
    outcome = run(tmp_path)
    assert outcome.code == 1
    assert "1 of 2 passed" in outcome.out
    assert outcome.out.index("FAIL  a") < outcome.out.index("PASS  b")
    assert [k["passed"] for k in json.loads(run(tmp_path, "--json").out)["kernels"]] == [0, 1]


def test_a_sweep_goes_on_after_an_error(run: Any, tmp_path: Path) -> None:
    for name, words in (("a", [HALT]), ("b", leaves(1, 2, 3, 4))):
        (tmp_path / name).mkdir()
        kernel(tmp_path / name, words)
    outcome = run(tmp_path)
    assert outcome.code == 1
    assert outcome.complaint.startswith("a: Deadlock at cycle")
    assert "1 of 2 passed" in outcome.out
    document = json.loads(run(tmp_path, "--json").out)["kernels"]
    assert document[0]["error"]["category"] == "Deadlock"
    assert document[1]["passed"]


def test_assembly_from_stdin(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(b".thread 2\nttnop\nttsetc16 13,1\n")

    monkeypatch.setattr("sys.stdin", Stdin)
    document = json.loads(run("-", "--json").out)["kernels"][0]
    assert document["name"] == "<stdin>"
    assert document["threads"]["2"]["opcodes"] == {"NOP": 1, "SETC16": 1}


def test_the_trace_has_every_issued_instruction(run: Any, tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    entry = json.loads(run(DATACOPY, "--json", "--trace", trace).out)["kernels"][0]
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    assert len(events) == sum(t["issued"] for t in entry["threads"].values())
    assert set(events[0]) == {
        *("cycle", "thread", "word", "assembly", "core", "pc", "mop_step", "replay_slot")
    }
    assert [e["cycle"] for e in events] == sorted(e["cycle"] for e in events)
    assert any(e["mop_step"] is not None for e in events)


def test_bare_elfs_run_until_nothing_can_change(run: Any, tmp_path: Path) -> None:
    path = elf(tmp_path, [*store(0x3000, 1), HALT])
    outcome = run(path)
    assert outcome.code == 0
    assert outcome.out.startswith("RAN")


def test_progress_is_for_terminals_only(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for terminal in (True, False):
        screen = io.StringIO()
        console = Console(file=screen, force_terminal=terminal, width=80)
        monkeypatch.setattr(run_command, "stderr", console)
        assert run(DATACOPY, "--json").code == 0
        assert ("datacopy" in screen.getvalue()) == terminal


# ------------------------------------------------------------------ wrong results: exit 1


def test_the_first_wrong_element_and_its_place(run: Any, tmp_path: Path) -> None:
    path = kernel(tmp_path, leaves(1, 2, 7, 9))
    outcome = run(path)
    assert outcome.code == 1
    assert "2 of 4 elements wrong, largest error 5" in outcome.out
    assert "first wrong element [0, 2]: got 7, expected 3" in outcome.out
    output = json.loads(run(path, "--json").out)["kernels"][0]["outputs"][0]
    assert output["first_wrong"] == {"index": [0, 2], "got": 7.0, "expected": 3.0}
    assert (output["wrong"], output["largest_error"]) == (2, 5.0)


@pytest.mark.parametrize(
    ("tolerance", "last", "passed"),
    [
        ("0.5", 4.5, True),
        ("0.5", 4.5000005, False),
        ("{ absolute = 0.0, relative = 0.25 }", 5.0, True),
        ("{ absolute = 0.0, relative = 0.25 }", 5.000001, False),
        ("0", 4.0, True),
    ],
)
def test_the_edge_of_the_tolerance(
    run: Any, tmp_path: Path, tolerance: str, last: float, passed: bool
) -> None:
    path = kernel(tmp_path, leaves(1, 2, 3, last), tolerance=tolerance)
    assert run(path).code == (0 if passed else 1)


def test_exact_bytes_are_compared_besides(run: Any, tmp_path: Path) -> None:
    exact = np.array([1, 2, 3, 4], np.float32).view(np.uint8)
    np.save(tmp_path / "exact.npy", exact)
    path = kernel(tmp_path, leaves(1, 2, 3, -0.0), exact='"exact.npy"', tolerance=9)
    outcome = run(path)
    assert outcome.code == 1
    assert "4 elements right" in outcome.out
    assert "2 bytes differ from the recorded result" in outcome.out


def test_not_a_number_is_wrong_and_still_json(run: Any, tmp_path: Path) -> None:
    path = kernel(tmp_path, leaves(1, float("nan"), float("inf"), 4))
    outcome = run(path, "--json")
    assert outcome.code == 1

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    output = json.loads(outcome.out, parse_constant=refuse)["kernels"][0]["outputs"][0]
    assert output["first_wrong"]["got"] == "nan"
    assert output["wrong"] == 2


# ------------------------------------------------------------------ programs' mistakes: exit 1


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (store(0x99000000, 1), "UndefinedBehavior: nothing is mapped at 0x99000000"),
        ([0x00100073], "UndefinedBehavior: ebreak at 0x8000"),
        ([0xFFFFFFFF], "UndefinedBehavior: 0xffffffff is no RISC-V instruction"),
        ([*li(T0, 0x00400000), 0x00028067], "UndefinedBehavior: there is no instruction to fetch"),
        ([*li(T0, 0xFFB80000), lw(T2, T0)], "UndefinedBehavior: 0xffb80000 can only be written"),
        ([*li(T0, 0x3001), lw(T2, T0)], "NonContractualBehavior: an access to 0x00003001"),
        ([HALT], "Deadlock at cycle"),
        ([0x20], "UndefinedBehavior: 0x00000008 has an opcode that no instruction has"),
    ],
)
def test_what_a_program_does_wrong(
    run: Any, tmp_path: Path, words: list[int], complaint: str
) -> None:
    outcome = run(kernel(tmp_path, [*words, HALT]))
    assert outcome.code == 1
    assert outcome.complaint.startswith(complaint)


def test_a_mop_from_brisc(run: Any, tmp_path: Path) -> None:
    path = elf(tmp_path, store(0xFFE50000, 0x01800000), "brisc", 0)
    outcome = run(path)
    assert outcome.code == 1
    assert outcome.complaint.startswith("UndefinedBehavior: 0x01800000 is a MOP or MOP_CFG pushed")


def test_an_endless_kernel_ends_at_the_limit(run: Any, tmp_path: Path) -> None:
    counts = [0x00138393, bne(T2, 0, -1)]  # addi t2, t2, 1
    for target in (kernel(tmp_path, counts), tmp_path / "trisc1.elf"):
        outcome = run(target, "--max-cycles", 3000)
        assert outcome.code == 1
        assert outcome.complaint.startswith("CycleLimit: ")
        assert "3000 cycles" in outcome.complaint
        assert "TRISC1 pc 0x800" in outcome.err
    source = tmp_path / "long.s"
    source.write_text("ttnop\n" * 5000)
    assert run(source, "--max-cycles", 100).complaint.startswith("CycleLimit: still running")


def test_policies_from_the_command_line(run: Any, tmp_path: Path) -> None:
    source = tmp_path / "k.s"
    source.write_text("ttsempost 2\n")
    assert "SEMPOST on semaphore 1" in run(source).out
    outcome = run(source, "--policy", "sempost-above-max=error")
    assert outcome.code == 1
    assert outcome.complaint.startswith("NonContractualBehavior: SEMPOST on semaphore 1")
    assert "warning" not in run(source, "--policy", "sempost-above-max=off").out


# ------------------------------------------------------------------ bad input: exit 2


def bad_elf(kind: str) -> bytes:
    good = ElfBuilder().add(".init", 0x8000, code([HALT]))
    if kind == "64-bit":
        good.elf_class = 2
    if kind == "another machine":
        good.machine = 62
    if kind == "big-endian":
        good.byte_order = 2
    image = good.build()
    return image[: len(image) // 2] if kind == "truncated" else image


@pytest.mark.parametrize("kind", ["truncated", "64-bit", "another machine", "big-endian"])
def test_bad_elfs(run: Any, tmp_path: Path, kind: str) -> None:
    path = kernel(tmp_path, leaves(1, 2, 3, 4))
    (tmp_path / "trisc1.elf").write_bytes(bad_elf(kind))
    for target in (path, tmp_path / "trisc1.elf"):
        outcome = run(target)
        assert outcome.code == 2
        assert outcome.err.count("\n") == 1
        assert outcome.complaint.startswith(f"{tmp_path / 'trisc1.elf'}: is a")
        assert kind in outcome.complaint


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("ttbogus 1", "unknown mnemonic 'ttbogus'"),
        ("ttmop 2,0,0", "mop_type is 2, not in the range 0 to 1"),
        ("ttmop 1,0", "ttmop"),
        (".thread 3", "thread 3 is not in the range 0 to 2"),
        (".mopcfg 9, 0", ".mopcfg index 9 is not in the range 0 to 8"),
        (".ttinsn 0x100000000", "word 0x100000000 is not in the range"),
        ("ttmop 99999999999999999999999999999999999999999999999999999,0,0", "too large"),
        ("\x00", "unknown mnemonic"),
    ],
)
def test_bad_assembly(run: Any, tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "k.s"
    path.write_text(f"ttnop\n{text}\n")
    outcome = run(path)
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert outcome.complaint.startswith(f"{path}:2: ")
    assert complaint in outcome.complaint


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nowhere.s"], "nowhere.s: no such file or folder"),
        (["nowhere.elf"], "nowhere.elf: no such file or folder"),
        (["nowhere.toml"], "nowhere.toml: no such file"),
        (["x" * 5000], "x" * 5000 + ": no such file or folder"),
        (["a\0b"], r"a\x00b: no such file or folder"),
        ([DATACOPY, "--policy", "x"], "--policy x: write it as CHECK=error"),
        ([DATACOPY, "--policy", "x=off"], "no check is called 'x'"),
        ([DATACOPY, "--policy", "ebreak=no"], "policy 'no': choose error, warn or off"),
        ([DATACOPY, "--engine", "warp"], "Invalid value for '--engine': 'warp' is not one of"),
        ([DATACOPY, "--trace", "/nonexistent/x"], "/nonexistent/x: No such file or directory"),
        ([DATACOPY, "--max-cycles", "0"], "Invalid value for '--max-cycles'"),
        ([DATACOPY, "--max-cycles", "many"], "Invalid value for '--max-cycles'"),
        ([DATACOPY, "--bogus"], "No such option: --bogus"),
        ([], "Missing argument"),
    ],
)
def test_bad_arguments(run: Any, arguments: list[object], complaint: str) -> None:
    outcome = run(*arguments)
    assert outcome.code == 2
    assert outcome.complaint.startswith(complaint)
    assert outcome.err.count("\n") == 1
    assert outcome.out == ""


def test_bad_files(run: Any, tmp_path: Path) -> None:
    path = tmp_path / "k.s"
    path.write_bytes(b"ttnop\n\xff")
    assert run(path).complaint == f"{path}: neither an ELF nor UTF-8 assembly (byte 6)"
    shutil.copy(DATACOPY / "math.elf", tmp_path / "prog.elf")
    assert "TRISC1" in run(tmp_path / "prog.elf").complaint, "told by where it begins"
    (tmp_path / "prog.elf").write_bytes(ElfBuilder().add(".init", 0x9000, bytes(8)).build())
    assert "which core is it for?" in run(tmp_path / "prog.elf").complaint
    both = (DATACOPY / "math.elf", EXAMPLES / "matmul" / "math.elf")
    assert "trisc1 has a program already" in run(*both).complaint
    assert run(tmp_path).complaint == f"{tmp_path}: no kernel.toml in this folder or below it"
    toml = tmp_path / "kernel.toml"
    toml.write_bytes(b"\xff")
    assert run(toml).complaint.startswith(f"{toml}: not UTF-8 text (byte 0)")
    toml.write_text("elfs =")
    assert run(toml).complaint.startswith(f"{toml}: not valid TOML")


def _never_a_traceback(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    assert main(["run", *REFERENCE, "--max-cycles", "300", str(path)]) in (0, 1, 2)


FUZZ = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
TOKENS = st.sampled_from(
    [*"\n ,{}#", "ttmop ", "ttreplay ", ".mopcfg ", ".thread ", ".ttinsn ", "ttnop", "0x", "1",
     "9" * 50, "ttmvmul ", "sfpload ", "L3", "-", "\0", "é"]
)  # fmt: skip


@FUZZ
@given(st.lists(TOKENS, max_size=30).map("".join).map(str.encode) | st.binary(max_size=80))
def test_any_bytes_as_assembly(tmp_path: Path, data: bytes) -> None:
    _never_a_traceback(tmp_path / "k.s", data)


@FUZZ
@given(st.binary(max_size=200) | st.integers(0, 400), st.integers(0, 255))
def test_any_bytes_as_an_elf(tmp_path: Path, data: bytes | int, value: int) -> None:
    if isinstance(data, int):
        image = bytearray(ElfBuilder().add(".init", 0x8000, code(leaves(1))).build())
        image[data % len(image)] = value
        data = bytes(image)
    _never_a_traceback(tmp_path / "trisc1.elf", data)


KEYS = st.sampled_from(["arch", "elfs", "inputs", "outputs", "done", "mailboxes", "value", "build"])
VALUES = st.sampled_from(
    ["1", "-1", '"a"', "[]", "[[]]", "{}", "{ trisc1 = 1 }", "{ mailboxes = { trisc1 = 0 } }",
     "nan", "[{}]", '[{ file = "x", address = -1 }]', "1e999", "true", "1979-05-27"]
)  # fmt: skip


@FUZZ
@given(st.dictionaries(KEYS, VALUES) | st.binary(max_size=60))
def test_any_kernel_toml(tmp_path: Path, data: dict[str, str] | bytes) -> None:
    if isinstance(data, dict):
        data = "".join(f"{key} = {value}\n" for key, value in data.items()).encode()
    _never_a_traceback(tmp_path / "kernel.toml", data)
