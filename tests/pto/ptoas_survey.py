"""Which of PTOAS's public .pto files run here, and why the others do not.

``python tests/pto/ptoas_survey.py PTOAS`` runs every .pto file of a checkout of
github.com/hw-native-sys/PTOAS, a number for each parameter that wants one, and prints the files by
what became of them: *runs*, *finding* (a hazard, or a deadlock, that the file has) or *refused*.
"""

import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from tilelab.pto.errors import IRError
from tilelab.pto.program import Program
from tilelab.sim.errors import BadInputError, TilelabError

# What parameters without a value are: sizes, but for files that take an index or a small size.
SIZE = 32
NUMBERS = {
    "Qwen3": 0, "decode_projection": 0, "rmsnorm": 0, "level3_enable": 1,
    "test_dynamic_valid_shape": 33, "Partition5D": 1, "dynamic_validshape": 16,
}  # fmt: skip
SECONDS = 60


def _late(*_: Any) -> None:
    raise TimeoutError


def verdict(file: Path) -> tuple[str, str]:
    """What became of a file, and what was said."""
    options = {"arch": "a5"} if "_a5_" in file.name or file.stem.endswith("_a5") else {}
    number = next((n for part, n in NUMBERS.items() if part in str(file)), SIZE)
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(SECONDS)
    try:
        Program(str(file), file.read_text(), {"*": number}, options).run("rr")
    except (IRError, BadInputError) as error:
        return "refused", str(error).splitlines()[0]
    except TilelabError as error:
        return "finding", str(error).splitlines()[0]
    except TimeoutError:
        return "late", f"did not end within {SECONDS} s"
    finally:
        signal.alarm(0)
    return "runs", ""


def survey(root: Path) -> dict[str, tuple[str, str]]:
    """The verdicts of all files of a checkout."""
    with np.errstate(all="ignore"):
        return {str(f.relative_to(root)): verdict(f) for f in sorted(root.rglob("*.pto"))}


if __name__ == "__main__":
    found = survey(Path(sys.argv[1]))
    for name, (what, said) in found.items():
        print(f"{what:8} {name}  {said}")
    print(dict(Counter(what for what, _ in found.values())))
