"""What a candidate may do to the rest of the machine: with Landlock, next to nothing."""

import shutil
import socket
from pathlib import Path

import pytest

from tilelab.score.apart import score
from tilelab.sim.confined import version

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TRIES = """
import os, socket, tempfile

def f(a):
    said = []
    for name, attempt in {{
        "beside": lambda: open({beside!r}, "w"),
        "cut": lambda: os.truncate({kept!r}, 0),
        "gone": lambda: os.remove({kept!r}),
        "folder": lambda: os.mkdir({beside!r}),
        "signal": lambda: os.kill(os.getppid(), 0),
        "tcp": lambda: socket.create_connection(("127.0.0.1", {port})),
        "own": lambda: open(os.path.join(tempfile.gettempdir(), "x"), "w"),
        "null": lambda: open(os.devnull, "w"),
    }}.items():
        try:
            attempt()
            said.append(name)
        except OSError:
            pass
    raise ValueError(" ".join(said))
"""


@pytest.mark.skipif(version() < 6, reason="this Linux has no Landlock 6")
def test_a_candidate_writes_into_its_own_folder_alone(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept")
    folder = Path(shutil.copytree(EXAMPLES / "datacopy", tmp_path / "k"))
    toml = folder / "kernel.toml"
    toml.write_text(toml.read_text().replace('"a"', '"reference.py:f"', 1))
    with socket.create_server(("127.0.0.1", 0)) as server:
        given = {"beside": str(tmp_path / "new"), "kept": str(kept)}
        tries = TRIES.format(**given, port=server.getsockname()[1])
        (folder / "reference.py").write_text(tries)
        [found] = score(folder)
    assert found.message.endswith("ValueError: own null"), found.message
    assert kept.read_text() == "kept"
    assert not (tmp_path / "new").exists()
