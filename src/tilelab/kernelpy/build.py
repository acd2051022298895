"""From kernels to callable machine code, through a cache of object files.

The cache's key is everything that the code depends on: the text of every module given, the
compiler's own, the chip, the versions of llvmlite and LLVM, and the processor's name and features.
An edit or another processor therefore never meets stale code. ``TILELAB_CACHE`` names the folder;
without it, the user's cache folder is taken; if that cannot be written, nothing is kept, and
whoever asked is told so. Who asks for a dump (``dump.py``) gets the code compiled anew, so that
there is something to see.
"""

import ctypes
import hashlib
from collections.abc import Callable
from pathlib import Path

import llvmlite
from llvmlite import binding

from tilelab.kernelpy import bounds, dump
from tilelab.kernelpy.machine import OutsideError
from tilelab.kernelpy.module import Module
from tilelab.sim.cache import UntrustedError, keep, kept, place

OPTIMISATION = 2
CHECKED_OPTIMISATION = 1


def _target(level: int = OPTIMISATION) -> binding.TargetMachine:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=level,
        reloc="pic",
        codemodel="jitdefault",
    )


def key(sources: list[Path], facts: str) -> str:
    """The cache key of code made from these files."""
    digest = hashlib.sha256()
    parts = (
        llvmlite.__version__,
        str(binding.llvm_version_info),
        binding.get_default_triple(),
        binding.get_host_cpu_name(),
        binding.get_host_cpu_features().flatten(),
        facts,
    )
    for fact in parts:
        digest.update(fact.encode() + b"\0")
    for path in sorted([*sources, *Path(__file__).parent.glob("*.py")]):
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:32]


def compiled(
    make: Callable[[], Module | bytes],
    sources: list[Path],
    facts: str,
    what: str,
    note: Callable[[str], None],
    warn: Callable[[str], None],
) -> bytes:
    """The object file that ``make`` gives, or a module for it, from the cache if it is there.

    It depends on the text of ``sources`` and on ``facts``. ``note`` is told when something has
    to be compiled, and ``what``; ``warn`` when it cannot be kept, or others may have
    written what is there.
    """
    name = key(sources, facts)
    refused: OSError | None = None
    try:
        if dump.folder() is None and (image := kept(place("code", name))):
            return image
    except UntrustedError as error:
        refused = error
    except OSError:
        pass  # there is none yet
    note(f"compiling the fast engine for {what} (once; later starts take it from a cache)")
    made = make()
    image = made if isinstance(made, bytes) else emit(made)
    try:
        keep(place("code", name), image)
        if refused is not None:
            warn(f"not used, and replaced: {refused.filename}: {refused.strerror}")
    except OSError as error:
        where = error.filename2 or error.filename or "the cache"
        warn(
            f"compiled code cannot be kept: {where}: {error.strerror or error}; every start will "
            "compile anew (TILELAB_CACHE names another folder)"
        )
    return image


def optimised(module: Module, outside: binding.ModuleRef | None = None) -> binding.ModuleRef:
    """A module in LLVM's own form, optimised for this processor.

    ``outside``: another one that calls its exported kernels, and that alone is seen from outside.
    """
    parsed = binding.parse_assembly(str(module.llvm))
    if outside is not None:
        names = [function.name for function in parsed.functions if not function.is_declaration]
        parsed.link_in(outside)
        for name in names:
            parsed.get_function(name).linkage = "internal"
    parsed.verify()
    level = CHECKED_OPTIMISATION if module.checked else OPTIMISATION
    machine = _target(level)  # has to outlive the builder
    options = binding.create_pipeline_tuning_options(speed_level=level)
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(parsed, builder)
    return parsed


def emit(module: Module) -> bytes:
    """The object file of a module."""
    level = CHECKED_OPTIMISATION if module.checked else OPTIMISATION
    llvm = optimised(module)
    if dump.folder():
        dump.write(f"{module.llvm.name}.ll", str(module.llvm))
        dump.write(f"{module.llvm.name}.optimised.ll", str(llvm))
    image: bytes = _target(level).emit_object(llvm)
    return image


class Library:
    """Machine code in memory; its symbols are called with 64-bit integers."""

    def __init__(self, image: bytes) -> None:
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _target())
        self._engine.add_object_file(binding.ObjectFileRef.from_data(image))
        self._engine.finalize_object()

    def function(self, symbol: str, arguments: int) -> Callable[..., int]:
        """A symbol as a Python callable."""
        address = self._engine.get_function_address(symbol)
        if not address:
            raise LookupError(symbol)
        return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * arguments)(address)

    def raise_outside(self) -> None:
        """OutsideError if a bounds check has failed in this code since it was last asked."""
        place = self.function(bounds.SITE, 0)()
        index = self.function(bounds.INDEX, 0)()
        if place:
            raise OutsideError(f"{ctypes.string_at(place).decode()} {index}")
