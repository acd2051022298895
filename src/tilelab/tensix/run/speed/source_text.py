"""Kernel Python that is written by a program: text under construction, and the names it uses."""

import linecache
from typing import Any

from tilelab.kernelpy import dump
from tilelab.sim.checks import fault
from tilelab.sim.kernel import OK, WORD, kernel


class Source:
    """Python text under construction, and the names that it uses."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {"OK": OK, "fault": fault, "WORD": WORD, "kernel": kernel}

    def add(self, *lines: str) -> None:
        """Append lines."""
        self.lines += lines

    def name(self, prefix: str, value: Any) -> str:
        """A name for a kernel or constant."""
        base = f"{prefix}_{getattr(value, '__name__', value)}".strip("_")
        name = base
        while self.names.get(name, value) is not value:
            name += "_"
        self.names[name] = value
        return name

    def compile(self, file: str) -> dict[str, Any]:
        """Run the text; its functions' source stays available to the compiler of kernels."""
        text = "\n".join(self.lines) + "\n"
        dump.write(f"{file.strip('<>').replace(' ', '_')}.py", text)
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        names = dict(self.names)
        exec(compile(text, file, "exec"), names)
        return names
