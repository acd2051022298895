"""Finds a Python that has ``ttnn``, and where its wheel is."""

import shutil
import subprocess
from pathlib import Path

from tilelab.sim.errors import BadInputError

INTERPRETERS = ("python3.12", "python3.10")
"""The Pythons that ttnn is published for, where nobody names one."""


def find_wheel(python: str = "") -> tuple[str, Path]:
    """A Python that has ttnn, and the folder of its package.

    ``python``: the one that was asked for, "" for any of the usual ones. BadInputError, with the
    cause, if there is none.
    """
    ask = "import importlib.util as u; s = u.find_spec('ttnn'); print(s.origin if s else '')"
    problems = []
    for name in [python] if python else INTERPRETERS:
        found = shutil.which(name)
        if found is None:
            continue
        asked = subprocess.run([found, "-c", ask], capture_output=True, text=True, check=False)
        if origin := asked.stdout.strip():
            return found, Path(origin).parent
        said = asked.stderr.strip().splitlines() or [f"exit code {asked.returncode}"]
        cause = f"does not run ({said[0]})" if asked.returncode else "has no ttnn"
        problems.append(f"{found} {cause}")
    if problems:
        raise BadInputError(f"{'; '.join(problems)}: --python names a Python that has it")
    wanted = python or " or ".join(INTERPRETERS)
    raise BadInputError(f"{wanted}: no such program; --python names a Python with ttnn")
