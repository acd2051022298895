"""What ``tilelab new`` writes for VS Code, carried out as VS Code would; the container's recipe."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import IO, Any

import pytest
from tests.cli.command import tilelab

from tilelab.build.compilers import find_compiler
from tilelab.sim.errors import BadInputError

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        find_compiler("")
    except BadInputError as error:
        pytest.skip(error.summary)
    made = tmp_path_factory.mktemp("new") / "sum"
    subprocess.run([sys.executable, "-m", "tilelab", "new", made], check=True, capture_output=True)
    return made


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def ask(sink: IO[bytes], number: int, command: str, arguments: Any) -> None:
    text = json.dumps(
        {"seq": number, "type": "request", "command": command, "arguments": arguments}
    ).encode()
    sink.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
    sink.flush()


def told(source: IO[bytes]) -> Any:
    length = 0
    while (line := source.readline()).strip():
        length = int(line.rpartition(b":")[2])
    return json.loads(source.read(length))


def test_the_launch_configuration_debugs_the_kernel(folder: Path) -> None:
    (launch,) = read(folder / ".vscode/launch.json")["configurations"]
    place = folder / ".vscode/extensions/tilelab"
    (debugger,) = read(place / "package.json")["contributes"]["debuggers"]
    assert debugger["type"] == launch["type"]
    known = debugger["configurationAttributes"]["launch"]["properties"]
    own = {"name", "type", "request", "preLaunchTask"}
    assert launch.keys() - own <= known.keys()
    arguments = json.loads(json.dumps(launch).replace("${workspaceFolder}", str(folder)))
    command = [debugger["runtime"], str(place / debugger["program"])]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as adapter:
        assert adapter.stdin is not None
        assert adapter.stdout is not None
        requests = {"initialize": {"adapterID": "tilelab"}, "launch": arguments}
        requests |= {"configurationDone": {}}
        for number, (name, given) in enumerate(requests.items(), 1):
            ask(adapter.stdin, number, name, given)
        seen = []
        while not seen or seen[-1].get("event") != "stopped":
            seen.append(told(adapter.stdout))
            assert seen[-1].get("success", True), seen[-1]
        assert seen[-1]["body"]["reason"] == "entry"
        ask(adapter.stdin, 9, "disconnect", {})
        adapter.communicate(timeout=60)


def test_the_tasks_run(folder: Path) -> None:
    tasks = {task["label"]: task for task in read(folder / ".vscode/tasks.json")["tasks"]}
    (launch,) = read(folder / ".vscode/launch.json")["configurations"]
    assert launch["preLaunchTask"] in tasks
    for label in "build", "run", "view":
        task = tasks[label]
        done = subprocess.run(
            [task["command"], *task["args"]],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert (folder / "report.html").is_file()


def test_new_makes_no_folders_above_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = tilelab(capsys, "new", tmp_path / "no" / "such", "--no-build")
    assert outcome.code == 2
    assert outcome.complaint.endswith(f"there is no folder {tmp_path / 'no'}")
    assert not list(tmp_path.iterdir())


def test_the_container_installs_extras_that_there_are() -> None:
    recipe = read(ROOT / ".devcontainer/devcontainer.json")["postCreateCommand"]
    extras = recipe.partition("[")[2].partition("]")[0].split(",")
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert extras
    assert set(extras) <= known.keys()
