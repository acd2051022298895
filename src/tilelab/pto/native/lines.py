"""Return addresses in a kernel's libraries as file and line, by addr2line."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path


def _bases() -> dict[str, int]:
    """Where each mapped file begins."""
    found: dict[str, int] = {}
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        parts = line.split(maxsplit=5)
        if len(parts) == 6:
            found.setdefault(parts[5], int(parts[0].split("-")[0], 16))
    return found


class Lines:
    """``find(core, address)`` is "file:line: ", or "" where nothing is known."""

    def __init__(
        self, files: Sequence[Path], headers: Sequence[str], shown: dict[str, str]
    ) -> None:
        self._files = [str(file) for file in files]
        self._headers = tuple(headers)
        self._shown = shown  # how the user wrote a path
        self._maps = _bases()
        self._known: dict[tuple[int, int], str] = {}
        self._tool = shutil.which("addr2line") or shutil.which("llvm-addr2line")

    def offset(self, core: int, address: int) -> int:
        """An address counted from the library's begin: the same in every run."""
        return address - self._maps.get(self._files[core if core < len(self._files) else 0], 0)

    def find(self, core: int, address: int) -> str:
        """The kernel's line behind a return address."""
        core = core if core < len(self._files) else 0
        key = (core, address)
        if key not in self._known:
            self._known[key] = self._ask(core, address)
        return self._known[key]

    def _ask(self, core: int, address: int) -> str:
        file = self._files[core]
        base = self._maps.get(file)
        if self._tool is None or base is None or address < base:
            return ""
        command = [self._tool, "-i", "-e", file, hex(address - base - 1)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        frames = [frame.split(" ")[0] for frame in done.stdout.splitlines()]
        own = [frame for frame in frames if not frame.startswith(("?", *self._headers))]
        path, _, line = own[0].rpartition(":") if own else ("", "", "")
        return f"{self._shown.get(path, path)}:{line}: " if line else ""
