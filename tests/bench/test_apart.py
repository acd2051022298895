"""A simulator's process ends without a word when nobody asks it any more."""

import subprocess
import sys
from pathlib import Path

import pytest

SERVE = """
from multiprocessing import Pipe
from tilelab.bench.apart import serve
ours, theirs = Pipe()
{first}
serve(object, theirs)
"""


@pytest.mark.parametrize("first", ["ours.close()", "ours.send(None); ours.close()"])
def test_who_asks_has_ended_before_the_answer(first: str) -> None:
    words = [sys.executable, "-c", SERVE.format(first=first)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


DEAF = """
import os, signal
from tilelab.bench.apart import Apart

class Asked:
    def blocked(self):
        return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())

if __name__ == "__main__":
    print([Apart(Asked).call("blocked") for _ in range(2)])
"""


def test_it_never_hears_an_interrupt(tmp_path: Path) -> None:
    (tmp_path / "deaf.py").write_text(DEAF)
    words = [sys.executable, str(tmp_path / "deaf.py")]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "[True, True]\n"
