"""Doing something again whenever a file of some targets changes."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from tilelab.runs.targets import kernel_files
from tilelab.sim.errors import BadInputError

SECONDS = 0.3
"""How often files are looked at."""
SETTLED = 0.1
"""How long no file may have changed before something is done: editors write several."""
MADE = {".elf", ".html", ".pyc"}
"""Suffixes of what a run makes itself."""

Stamp = dict[Path, tuple[int, int]]


def watched(targets: Iterable[str]) -> Stamp:
    """The files of some targets: what lies beside a kernel.toml, or the file itself; when changed.

    BadInputError for ``-``, and for what is not there.
    """
    found: Stamp = {}
    for name in targets:
        path = Path(name)
        if name == "-" or not path.exists():
            raise BadInputError(f"--watch: {name}: no file that could change")
        folders = [file.parent for file in kernel_files(path)]
        for one in [path] if not folders else [p for f in folders for p in f.iterdir()]:
            if one.is_file() and not one.name.startswith(".") and one.suffix not in MADE:
                try:
                    info = one.stat()
                except OSError:  # an editor has just replaced it
                    continue
                found[one] = info.st_mtime_ns, info.st_size
    return found


def again(
    targets: list[str],
    act: Callable[[], None],
    say: Callable[[str], None],
    wait: Callable[[float], None] = time.sleep,
) -> None:
    """Act now, and whenever a file of the targets changes, until something else ends it.

    ``say`` is told which file changed; ``wait`` passes time.
    """
    before = watched(targets)
    act()
    while True:
        wait(SECONDS)
        now = watched(targets)
        if now == before:
            continue
        wait(SETTLED)
        while (later := watched(targets)) != now:
            now = later
            wait(SETTLED)
        changed = {path.name for path, _ in now.items() ^ before.items()}
        say(", ".join(sorted(changed)))
        before = now
        act()
