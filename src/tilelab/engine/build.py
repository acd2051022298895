"""From kernels to callable machine code, through a cache of object files.

The cache's key is everything that the code depends on: the text of every module given, the
compiler's own, the chip, the versions of llvmlite and LLVM, and the processor's name and features.
An edit or another processor therefore never meets stale code. ``TILELAB_CACHE`` names the folder;
without it, the user's cache folder is taken; if that cannot be written, nothing is kept.
"""

import ctypes
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import llvmlite
from llvmlite import binding

from tilelab.engine.module import Module

OPTIMISATION = 2
CHECKED_OPTIMISATION = 1
CHECK_BYTES = hashlib.sha256().digest_size
"""A file of the cache begins with the hash of the rest: machine code must not be run damaged."""


def cache_folder() -> Path:
    """Where compiled code is kept."""
    if named := os.environ.get("TILELAB_CACHE"):
        return Path(named)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home()))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return base / "tilelab"


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
    make: Callable[[], Module],
    sources: list[Path],
    facts: str,
    what: str,
    note: Callable[[str], None],
) -> bytes:
    """The object file of the module that ``make`` builds, from the cache if it is there.

    It depends on the text of ``sources`` and on ``facts``. ``note`` is told when something has
    to be compiled, and ``what``.
    """
    path = cache_folder() / f"{key(sources, facts)}.o"
    if image := _kept(path):
        return image
    note(f"compiling the fast engine for {what} (once; later starts take it from a cache)")
    image = emit(make())
    _keep(path, image)
    return image


def optimised(module: Module) -> binding.ModuleRef:
    """A module in LLVM's own form, optimised for this processor."""
    parsed = binding.parse_assembly(str(module.llvm))
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
    image: bytes = _target(level).emit_object(optimised(module))
    return image


def _kept(path: Path) -> bytes | None:
    """What a file of the cache holds; None unless it is there and as it was written."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    check, image = content[:CHECK_BYTES], content[CHECK_BYTES:]
    return image if hashlib.sha256(image).digest() == check else None


def _keep(path: Path, image: bytes) -> None:
    """Write a file so that readers see it whole or not at all; without a folder, do without."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".new", delete=False) as file:
            name = Path(file.name)
            try:
                file.write(hashlib.sha256(image).digest() + image)
                file.close()
                name.replace(path)
            except OSError:
                name.unlink()


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
