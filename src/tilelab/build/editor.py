"""What editors need to know of a kernel: ``compile_commands.json``, and how to debug it.

It names Clang's command for each core, with tilelab's headers. What kernel.toml tells the source,
and what the chip's tables say, are generated headers; they are written into ``.tilelab`` beside it.
"""

import json
import sys
from pathlib import Path

from tilelab.build.headers import folders, write_headers
from tilelab.kernels.build import ROLES, build_header
from tilelab.kernels.kernel_toml.file import KernelFile
from tilelab.sim.files import telling, write_whole
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
ADAPTER = '''"""Serves the Debug Adapter Protocol to the editor on stdin and stdout."""

import runpy
import sys

sys.argv = ["tilelab", "dap"]
runpy.run_module("tilelab", run_name="__main__")
'''


def write_debugging(folder: Path) -> list[Path]:
    """Have VS Code build, run and debug the kernel in a folder; returns the files written.

    That is tasks, a launch configuration, and an extension of the workspace (VS Code offers to
    install it), which says that ``tilelab dap`` is the debugger. They name the Python that runs
    now. BadInputError if they cannot be written.
    """
    python = sys.executable
    extension = f"{VSCODE}/extensions/tilelab"
    texts = {f"{VSCODE}/tasks.json": _json(_tasks(python)),
             f"{VSCODE}/launch.json": _json({"version": "0.2.0", "configurations": [LAUNCH]}),
             f"{extension}/package.json": _json(_extension(python)),
             f"{extension}/adapter.py": ADAPTER}  # fmt: skip
    written = []
    for name, text in texts.items():
        path = folder / name
        with telling(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
        written.append(path)
    return written


LAUNCH = {
    "name": "Debug the kernel",
    "type": "tilelab",
    "request": "launch",
    "target": "${workspaceFolder}",
    "stopOnEntry": True,
    "preLaunchTask": "build",
}


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


def _extension(python: str) -> dict[str, object]:
    settings = {
        "target": {"type": ["string", "array"], "description": "A kernel.toml, its folder, ELFs."},
        "arch": {"enum": [*ARCHES]},
        "clock": {"enum": ["functional", "cycle"]},
        "engine": {"enum": ["fast", "reference"]},
        "stopOnEntry": {"type": "boolean"},
    }
    debugger = {
        "type": "tilelab",
        "label": "tilelab",
        "languages": ["cpp"],
        "runtime": python,
        "program": "./adapter.py",
        "configurationAttributes": {"launch": {"required": ["target"], "properties": settings}},
        "initialConfigurations": [LAUNCH],
    }
    return {
        "name": "tilelab",
        "publisher": "tilelab",
        "displayName": "tilelab: debug kernels",
        "version": "0.1.0",
        "engines": {"vscode": "^1.89.0"},
        "contributes": {"breakpoints": [{"language": "cpp"}], "debuggers": [debugger]},
    }
