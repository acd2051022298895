"""The vendor's driver and debugger, unmodified, where a Python has them.

``TILELAB_EXALENS_PYTHON`` names a Python with the packages tt-umd and tt-exalens; by default it
is the one that runs the tests.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

PYTHON = os.environ.get("TILELAB_EXALENS_PYTHON", sys.executable)

DRIVER = """
import sys, tt_umd
options = tt_umd.SimulationConnectorOptions()
options.simulator_directory = sys.argv[1]
found = tt_umd.SimulationConnector.discover(options)
parts = found if isinstance(found, tuple) else (found,)
device = next(part for part in parts if isinstance(part, dict))[0]
cores = device.get_soc_descriptor().get_cores(tt_umd.CoreType.TENSIX)
print([(core.x, core.y) for core in cores])
device.noc_write32(1, 1, 0x100, 0xDEADBEEF)
print(hex(device.noc_read32(1, 1, 0x100)))
device.noc_write(1, 1, 0x200, b"tilelab tile")
print(device.noc_read(1, 1, 0x200, 12))
device.noc_write32(1, 1, 0, 0x00100073)  # ebreak
device.noc_write32(1, 1, 0xFFB121B0, 0x47000)
print(hex(device.noc_read32(1, 1, 0xFFB121B0)))
"""

HALTED = """
import sys
from ttexalens import OnChipCoordinate, init_ttexalens, write_words_to_device
where = OnChipCoordinate.create("1-1", init_ttexalens(simulation_directory=sys.argv[1]).devices[0])
core = where.noc_block.get_risc_debug("brisc")
core.set_reset_signal(True)
program = [
    0x00700293,  # addi x5, x0, 7
    0x00100073,  # ebreak
    0x00128293,  # addi x5, x5, 1
    0x00100073,  # ebreak
]
write_words_to_device(where, 0, program)
core.set_reset_signal(False)
print("first", core.is_halted(), core.is_ebreak_hit(), core.read_gpr(32), core.read_gpr(5))
core.write_gpr(5, 40)
core.write_memory(0xFFB00010, 0x12345678)
print("private", hex(core.read_memory(0xFFB00010)))
core.cont()
print("second", core.is_halted(), core.is_ebreak_hit(), core.read_gpr(32), core.read_gpr(5))
"""


def has(package: str) -> bool:
    done = subprocess.run([PYTHON, "-c", f"import {package}"], capture_output=True, check=False)
    return done.returncode == 0


@pytest.fixture(params=["blackhole", "wormhole"])
def folder(request: pytest.FixtureRequest) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="tl") as base:
        at = Path(base) / "s"
        command = [sys.executable, "-m", "tilelab", "serve", "--arch", request.param]
        with subprocess.Popen(
            [*command, "--folder", str(at)], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline()
            yield str(at)
            process.terminate()
            assert process.wait(60) == 0
        assert not list(Path(base).iterdir())


@pytest.mark.skipif(not has("tt_umd"), reason="no tt-umd: set TILELAB_EXALENS_PYTHON")
def test_the_driver_attaches(folder: str) -> None:
    done = subprocess.run(
        [PYTHON, "-c", DRIVER, folder], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stdout.splitlines() if "|" not in line]
    assert said == ["[(1, 1)]", "0xdeadbeef", "b'tilelab tile'", "0x47000"]


@pytest.mark.skipif(not has("ttexalens"), reason="no tt-exalens: set TILELAB_EXALENS_PYTHON")
def test_the_debugger_attaches(folder: str) -> None:
    commands = "wxy 1-1 0x100 0x12345678; brxy 1-1 0x100 2; gpr; x"
    done = subprocess.run(
        [PYTHON, "-m", "ttexalens.cli", "-s", folder, "--commands", commands],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "0x12345678" in said
    assert "Soft reset" in said


@pytest.mark.skipif(not has("ttexalens"), reason="no tt-exalens: set TILELAB_EXALENS_PYTHON")
def test_the_debugger_reads_a_core_that_ebreak_halted(folder: str) -> None:
    """Its unwinder starts from these: the pc is that of the instruction after the ebreak."""
    done = subprocess.run(
        [PYTHON, "-c", HALTED, folder], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    words = ("first", "private", "second")
    said = [line for line in done.stdout.splitlines() if line.startswith(words)]
    assert said == ["first True True 8 7", "private 0x12345678", "second True True 16 41"]
