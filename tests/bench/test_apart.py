"""A simulator's process ends without a word when nobody asks it any more."""

import subprocess
import sys

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
