"""What editors need to know of a kernel: ``compile_commands.json``, and how to debug it.

It names Clang's command for each core, with tilelab's headers. What kernel.toml tells the source,
and what the chip's tables say, are generated headers; they are written into ``.tilelab`` beside it.
"""

import json
import sys
from pathlib import Path
from typing import Any

from tilelab.build.headers import folders, write_headers
from tilelab.kernels.build import ROLES, build_header
from tilelab.kernels.kernel_toml.file import KernelFile
from tilelab.sim.files import telling, write_whole
from tilelab.sim.texts import text_of
from tilelab.tensix.arch import ARCHES

FOLDER = ".tilelab"
HEADER = "tilelab_build.h"
DATABASE = "compile_commands.json"
FIRST = "trisc1"
"""The core whose command comes first: the one that editors take for a file of several."""


def write_commands(kernel: KernelFile) -> Path:
    """Write a kernel's compile_commands.json; returns its path.

    BadInputError if the kernel has no ``[build]``, or if it cannot be written.
    """
    header = build_header(kernel)
    assert kernel.build is not None  # build_header has checked it
    sources = kernel.build.sources
    generated = kernel.path.parent / FOLDER
    with telling(generated):
        generated.mkdir(exist_ok=True)
    write_whole(generated / HEADER, header)
    write_headers(kernel.arch, generated)
    entries = [
        {
            "directory": str(sources[core].parent),
            "file": str(sources[core]),
            "output": str(kernel.elfs[core]),
            "arguments": [
                *("clang++", "--target=riscv32-unknown-elf", "-std=c++20", "-ffreestanding", "-O2"),
                *("-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra"),
                *(f"-D{ROLES[core]}", f"-DARCH_{kernel.arch.upper()}"),
                *(f"-isystem{folder}" for folder in folders(generated)[:-1]),
                *(f"-I{generated}", "-c", str(sources[core])),
            ],
        }
        for core in sorted(sources, key=lambda core: core != FIRST)
    ]
    path = kernel.path.parent / DATABASE
    write_whole(path, json.dumps(entries, indent=1) + "\n")
    return path


VSCODE = ".vscode"


def write_debugging(folder: Path) -> list[Path]:
    """Have VS Code build, run and debug the kernel in a folder; returns the files written.

    That is tasks, a launch configuration, and an extension of the workspace (VS Code offers to
    install it), which says that ``tilelab dap`` is the debugger. They name the Python that runs
    now. BadInputError if they cannot be written.
    """
    python = sys.executable
    launch = json.loads(text_of(__package__, "vscode/launch.json"))
    extension = f"{VSCODE}/extensions/tilelab"
    texts = {f"{VSCODE}/tasks.json": _json(_tasks(python)),
             f"{VSCODE}/launch.json": _json(launch),
             f"{extension}/package.json": _json(_extension(python, launch)),
             f"{extension}/adapter.py": text_of(__package__, "vscode/adapter.txt")}  # fmt: skip
    written = []
    for name, text in texts.items():
        path = folder / name
        with telling(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
        written.append(path)
    return written


def _json(document: object) -> str:
    return json.dumps(document, indent=2) + "\n"


def _tasks(python: str) -> dict[str, object]:
    commands = {"build": ["build", "."], "run": ["run", "--build", "."]}
    commands |= {"check": ["check", "."], "view": ["view", ".", "--page", "report.html"]}
    tasks = [
        {
            "label": label,
            "type": "process",
            "command": python,
            "args": ["-m", "tilelab", *words],
            "options": {"cwd": "${workspaceFolder}"},
            "problemMatcher": ["$gcc"],
            **({"group": {"kind": "build", "isDefault": True}} if label == "build" else {}),
        }
        for label, words in commands.items()
    ]
    return {"version": "2.0.0", "tasks": tasks}


def _extension(python: str, launch: dict[str, Any]) -> dict[str, Any]:
    """What says that ``tilelab dap`` is a debugger; ``launch``: how one begins."""
    made: dict[str, Any] = json.loads(text_of(__package__, "vscode/package.json"))
    (debugger,) = made["contributes"]["debuggers"]
    debugger |= {"runtime": python, "initialConfigurations": launch["configurations"]}
    settings = debugger["configurationAttributes"]["launch"]["properties"]
    settings["arch"]["enum"] = [*ARCHES]
    return made
