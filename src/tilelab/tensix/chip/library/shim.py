"""Builds the drop-in ``libttsim.so`` for one chip out of ``shim.ll``, with LLVM and our linker."""

import platform
import sys
from importlib.resources import files

from llvmlite import binding

from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import Arch
from tilelab.tensix.chip.library.linker import link

NAME = "libttsim.so"
SERVER = "tilelab.tensix.chip.library.server"


def _text(name: str, value: str) -> str:
    data = value.encode("utf-8", "surrogateescape") + b"\0"
    spelt = "".join(f"\\{byte:02X}" for byte in data)
    return f'@{name} = private constant [{len(data)} x i8] c"{spelt}"'


def shim_source(arch: Arch, python: str, chip: str) -> str:
    """The shim in LLVM's assembly language: it starts ``python`` and says which chip it wants."""
    constants = {"python": python, "option": "-m", "program": SERVER, "chip": chip}
    cases, returns = [], []
    for offset, value in arch.layout.host.config.items():
        cases.append(f"i32 {offset}, label %at{offset}")
        returns.append(f"at{offset}:\n  ret i32 {value}")
    text = files(__package__).joinpath("shim.ll").read_text("utf-8")
    return (
        text.replace("{CONSTANTS}: strings", "Constants: strings")
        .replace("{CONSTANTS}", "\n".join(_text(*item) for item in constants.items()))
        .replace("{CASES}", " ".join(cases))
        .replace("{RETURNS}", "\n".join(returns))
    )


def shared_library(arch: Arch, chip: str, python: str = sys.executable) -> bytes:
    """The shared library for a chip, described as ``server.parse_chip`` reads it.

    BadInputError on anything but 64-bit x86 Linux.
    """
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"):
        raise BadInputError(f"{NAME} can be made for x86-64 Linux, not for {platform.machine()}")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    module = binding.parse_assembly(shim_source(arch, python, chip))
    module.verify()
    target = binding.Target.from_triple("x86_64-unknown-linux-gnu")
    machine = target.create_target_machine(opt=2, reloc="pic", codemodel="small")
    return link(machine.emit_object(module), NAME)
