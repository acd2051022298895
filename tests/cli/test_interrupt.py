"""Ctrl-C or SIGTERM at any moment: one line, exit code 130, nothing left running."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="process groups as on Linux")

LONG = (
    """\
.mopcfg 0, 127
.mopcfg 1, 127
.mopcfg 2, { ttnop }
.mopcfg 3, { ttnop }
.mopcfg 4, { ttnop }
.mopcfg 5, { ttincrwc 0,2,0,0 }
.mopcfg 6, { ttnop }
.mopcfg 7, { ttnop }
.mopcfg 8, { ttnop }
"""
    + "ttmop 1,0,0\n" * 400
)

COMMANDS = {
    "run": ["run", "--engine", "reference", "{long}"],
    "sweep": ["run", "--engine", "reference", "{examples}/matmul", "{examples}/datacopy"],
    "trace": ["run", "--engine", "reference", "{long}", "--trace", "{folder}/t.jsonl"],
    "view": ["view", "--engine", "reference", "{long}", "-o", "{folder}/v.html"],
    "bench": ["bench", "MVMUL", "--runs", "500"],
    "errors": ["explain-matmul", "--distribution", "normal", "--samples", "1000000"],
    "expand": ["expand", "{long}"],
}


def members(group: int) -> list[str]:
    """Processes of a group that still run."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        state, _, number = text.rpartition(")")[2].split()[:3]
        if int(number) == group and state != "Z":
            found.append(stat.parent.name)
    return found


def wait_until_it_has_run(number: int, seconds: float) -> None:
    """Wait until a process has had so much of a processor, which may be busy; or ten times as long,
    for one that lets others work; or until it has ended.
    """
    ticks = os.sysconf("SC_CLK_TCK")
    end = time.monotonic() + 10 * seconds
    while time.monotonic() < end:
        time.sleep(0.01)
        state, *fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        if state == "Z" or sum(map(int, fields[10:12])) / ticks >= seconds:
            return


def heeds_interrupts() -> None:
    """As a terminal's program begins; what a shell runs in the background ignores Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("turn", range(3))
@pytest.mark.parametrize("command", COMMANDS)
def test_an_interrupt_is_one_line_and_130(tmp_path: Path, command: str, turn: int) -> None:
    long = tmp_path / "long.s"
    long.write_text(LONG)
    names = {"long": long, "examples": EXAMPLES, "folder": tmp_path}
    process = subprocess.Popen(
        [sys.executable, "-m", "tilelab", *(item.format(**names) for item in COMMANDS[command])],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "TMPDIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heeds_interrupts,  # noqa: PLW1509 - there are no threads here
    )
    generator = random.Random(f"{command} {turn}")
    moment = generator.uniform(0.15, 0.6) if turn == 0 else generator.uniform(0.6, 2.5)
    wait_until_it_has_run(process.pid, moment)
    if turn == 2:
        process.terminate()
    else:
        os.killpg(process.pid, signal.SIGINT)
    try:
        _, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    told = f"after {moment:.3f} s: {process.returncode}, {err[-1000:]}"
    assert "Traceback" not in err, told
    if process.returncode:  # a fast machine may be done before
        assert process.returncode == 130, told
        assert err.splitlines()[-1] == "tilelab: interrupted", told
        assert [path.name for path in tmp_path.iterdir()] == ["long.s"], told
    for _ in range(50):
        if not members(process.pid):
            break
        time.sleep(0.1)
    assert not members(process.pid)


def test_next_to_nothing_is_imported_before_interrupts_are_handled() -> None:
    """What comes while Python imports things would be a traceback."""
    program = (
        "import sys; before = set(sys.modules); import tilelab.__main__\n"
        "print(*sorted(name for name in set(sys.modules) - before if '.' not in name))"
    )
    ran = subprocess.run(
        [sys.executable, "-S", "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
    )
    assert not {"pathlib", "numpy", "typer", "rich"} & set(ran.stdout.split())


READY = """
import sys
from tilelab.cli.main import main
main(["run", sys.argv[1]], ready=lambda: print("tilelab.kernels.run" in sys.modules, flush=True))
"""


def test_what_a_command_imports_is_there_before_an_interrupt_is_an_exception() -> None:
    """An import may swallow an exception, and the command would go on."""
    command = [sys.executable, "-c", READY, str(EXAMPLES / "datacopy")]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("True\nPASS")
