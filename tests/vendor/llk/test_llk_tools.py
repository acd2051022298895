"""The tools beside the vendor's tests: what two devices leave, which kernels get their LRegs."""

import hashlib
import json
import lzma
import subprocess
import sys
from pathlib import Path

import pytest

from tilelab.calibrate.compute_api import calls as calls_of

TOOLS = Path(__file__).parents[3] / "tools" / "llk"
SAME, COLOURED = TOOLS / "same_bytes.py", TOOLS / "coloured.py"


def device(folder: Path, left: dict[str, bytes | str], elfs: str = "one") -> Path:
    """A folder as the plugin writes it: what L1 held after each test, or why that is not known."""
    folder.mkdir()
    lines = []
    for test, l1 in left.items():
        lines.append({"test": test, "run": 0, "begun": True})
        if isinstance(l1, str):
            if l1:
                lines.append({"test": test, "run": 0, "outcome": "failed", "why": l1})
            continue
        name = f"{hashlib.sha1(test.encode()).hexdigest()}.xz"
        (folder / name).write_bytes(lzma.compress(l1))
        lines.append({"test": test, "run": 0, "file": name, "elfs": elfs})
        lines.append({"test": test, "run": 1, "outcome": "passed", "why": ""})
    (folder / "index.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def compared(first: Path, second: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, SAME, first, second], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_two_devices_that_leave_the_same_bytes(tmp_path: Path) -> None:
    a = device(tmp_path / "a", {"t[1]": b"\0\1\2\0", "t[2]": b"\0\0\0\0"})
    b = device(tmp_path / "b", {"t[1]": b"\0\1\2\0", "t[2]": b"\0\0\0\0"})
    code, said = compared(a, b)
    assert code == 0
    assert said.startswith("2 tests leave equal bytes (2 of them not zero), 0 kernels differ")


def test_a_difference_is_told_with_its_place(tmp_path: Path) -> None:
    a = device(tmp_path / "a", {"t[1]": b"\0\1\2\0\0"})
    b = device(tmp_path / "b", {"t[1]": b"\0\1\3\0\1"})
    code, said = compared(a, b)
    assert code == 1
    assert "differs: t[1] kernel 0: 2 bytes differ, 0x20002 to 0x20004" in said


def test_what_only_one_device_has_finished_is_told_with_the_reason(tmp_path: Path) -> None:
    a = device(tmp_path / "a", {"t[1]": b"\1", "t[2]": b"\1", "t[3]": b"\1"})
    b = device(tmp_path / "b", {"t[1]": b"\1", "t[2]": "E  Error: not modelled\nmore", "t[3]": ""})
    code, said = compared(a, b)
    assert code == 0
    assert "one alone: t[2]: passed  | failed E  Error: not modelled" in said
    assert "one alone: t[3]: passed  | ended with the process" in said
    assert "1 tests leave equal bytes (1 of them not zero), 0 kernels differ, 2 tests" in said


def test_other_elfs_are_not_compared(tmp_path: Path) -> None:
    a = device(tmp_path / "a", {"t[1]": b"\1"})
    code, said = compared(a, device(tmp_path / "b", {"t[1]": b"\1"}, elfs="two"))
    assert code == 1
    assert said.startswith("0 tests leave equal bytes")
    assert "1 kernels are not the same" in said


HEADER = """
// ALWI void commented_tile(uint32_t idst) {
ALWI void plain_tile_init() { }
ALWI void plain_tile(uint32_t idst) { }
template <DataFormat data_format, bool fast = false>
ALWI void typed_tile(uint32_t idst0, uint32_t idst1, uint32_t param0, float x, bool y) { }
template <int ROUNDS>
ALWI void strange_tile(uint32_t idst, const Thing& thing) { }
"""


@pytest.mark.parametrize(
    ("name", "calls", "strange"),
    [
        ("plain_tile", "plain_tile_init(); plain_tile(0);", ""),
        ("typed_tile", "typed_tile<DataFormat::{format}>(0, 1, 0x3f800000u, 1.0f, false);", ""),
        ("strange_tile", "strange_tile<0u>();", "const Thing& thing"),
    ],
)
def test_each_function_of_the_api_is_called(
    tmp_path: Path, name: str, calls: str, strange: str
) -> None:
    api = tmp_path / "tt_metal/hw/inc/api/compute"
    (api / "experimental").mkdir(parents=True)
    (api / "some.h").write_text(HEADER)
    (api / "experimental" / "other.h").write_text("ALWI void other_tile(uint32_t idst) { }")
    found = calls_of(tmp_path / "tt_metal")
    assert set(found) == {"plain_tile", "typed_tile", "strange_tile"}
    one = found[name]
    assert (one.header, one.both, one.strange) == ("api/compute/some.h", calls, strange)


def test_what_is_no_chip_is_told_how_to_call_it() -> None:
    done = subprocess.run(
        [sys.executable, COLOURED, "wheel", "quasar"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "usage: coloured.py WHEEL blackhole|wormhole" in done.stderr
