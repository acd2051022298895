"""The stand-in for the vendor's compiler, laid out in a folder and called by its path."""

import subprocess
from pathlib import Path

from tilelab.build.standin.layout import lay_out

OPTIONS = (
    *("-g", "-O3", "-std=c++17", "-ftt-nttp", "-ftt-consteval", "-ffast-math", "-Wall", "-Werror"),
    *("-fno-exceptions", "-fno-rtti", "-mno-tt-fix-whbhebreak", "-nostdlib", "-nostartfiles"),
)


def laid_out(folder: Path, compiler: str, script: str) -> Path:
    """The folder, with a linker script of this text, ``t.ld``."""
    lay_out(folder, compiler)
    (folder / "t.ld").write_text(script)
    return folder


def call(tools: Path, tool: str, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a tool in the folder."""
    command = [str(tools / "compiler" / "bin" / f"riscv-tt-elf-{tool}"), *words]
    return subprocess.run(
        command, input=text, capture_output=True, text=True, cwd=tools, check=False
    )
