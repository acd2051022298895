"""From kernels to callable machine code, through a cache of object files.

The cache's key is everything that the code depends on: the text of every module given, the
compiler's own, the chip, the versions of llvmlite and LLVM, and the processor's name and features.
An edit or another processor therefore never meets stale code. ``TILELAB_CACHE`` names the folder;
without it, the user's cache folder is taken; if that cannot be written, nothing is kept, and
whoever asked is told so. Who asks for a dump (``dump.py``) gets the code compiled anew, so that
there is something to see.
"""

import ctypes
import gc
import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path

import llvmlite
from llvmlite import binding

from tilelab.kernelpy import bounds, dump
from tilelab.kernelpy.machine import OutsideError
from tilelab.kernelpy.module import Module, Unit
from tilelab.sim.cache import UntrustedError, alone, keep, kept, place

OPTIMISATION = 2
CHECKED_OPTIMISATION = 1
QUICK_PASSES = ("always_inliner", "sroa", "instruction_combine", "simplify_cfg")
"""What is done to code that is to be there soon; machine code is then made without optimisation."""


def _target(level: int = OPTIMISATION) -> binding.TargetMachine:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        opt=level,
        reloc="static",
        codemodel="jitdefault",
    )


def fuses() -> bool:
    """Whether this processor has a fused multiply-add; elsewhere LLVM would call the C library."""
    if binding.get_default_triple().startswith(("aarch64", "arm64")):
        return True
    return bool(binding.get_host_cpu_features().get("fma"))


def _key(facts: str, contents: Iterable[bytes]) -> str:
    """The cache's name for what this compiler makes of contents, on this processor."""
    digest = hashlib.sha256()
    parts = (
        llvmlite.__version__,
        str(binding.llvm_version_info),
        binding.get_default_triple(),
        binding.get_host_cpu_name(),
        binding.get_host_cpu_features().flatten(),
        facts,
    )
    for content in (*(part.encode() for part in parts), *contents):
        digest.update(content + b"\0")
    return digest.hexdigest()[:32]


def texts(sources: list[Path]) -> bytes:
    """A hash of what is in these files, wherever they lie, and in the compiler's own."""
    files = [*sources, *Path(__file__).parent.glob("*.py")]
    hashes = sorted(hashlib.sha256(path.read_bytes()).digest() for path in files)
    return hashlib.sha256(b"".join(hashes)).digest()


def key(sources: list[Path], facts: str) -> str:
    """The cache's name of code made from these files."""
    return _key(facts, [texts(sources)])


@contextmanager
def uncollected() -> Iterator[None]:
    """Let Python look for no garbage meanwhile, nor afterwards among what was made meanwhile.

    A module is a great many objects that live to its end: to look at them again and again takes a
    third of the time in which they are made, and to throw them away another fifth. What is made
    next has those of the last one thrown away, and so has :func:`thaw`.
    """
    if not gc.isenabled():
        yield
        return
    if thaw():
        gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
        _FROZEN.append(True)


_FROZEN: list[bool] = []
"""Whether there is something that was made without."""


def thaw() -> bool:
    """Let Python look for garbage everywhere, in a process that goes on; whether it did not."""
    frozen = bool(_FROZEN)
    if frozen:
        _FROZEN.clear()
        gc.unfreeze()
    return frozen


@dataclass
class Compiler:
    """Makes machine code unless the cache has it.

    It depends on the text of ``sources`` and on ``facts``. ``note`` is told when something has
    to be compiled, and ``what``; ``warn``, if it cannot be kept, or others may have written what is
    there.
    """

    sources: list[Path]
    facts: str
    what: str
    note: Callable[[str], None]
    warn: Callable[[str], None]
    warned: bool = field(default=False, init=False)
    refused: dict[str, UntrustedError] = field(default_factory=dict, init=False)
    """What others may have written, by its name in the cache."""

    @cached_property
    def _texts(self) -> bytes:
        return texts(self.sources)

    def name(self, quick: bool = False) -> str:
        """The cache's name of all of it; ``quick``: of what is compiled in the least time."""
        return _key(f"{self.facts}{', quick' if quick else ''}", [self._texts])

    def image(self, make: Callable[[], bytes]) -> bytes:
        """What ``make`` gives, an object file."""

        def made() -> bytes:
            self._say()
            return make()

        return self._made(self.name(), made)

    def images(self, make: Callable[[], Module], quick: bool = False, why: str = "") -> list[bytes]:
        """An object file for each unit of the module that ``make`` gives.

        Units are kept one by one by what they hold, so modules share those that are the same, and
        who is interrupted has not worked in vain. ``quick``: whether the module is. ``why`` is told
        if it has to be compiled.
        """
        made: dict[str, bytes] = {}

        def contents() -> bytes:
            self._say(why)
            how = Path(__file__).read_bytes()
            with uncollected():
                for unit in make().units.values():
                    kind = f"{unit.checked}, {unit.quick}, {unit.twice}"
                    name = _key(kind, [unit.text.encode(), how])
                    made[name] = self._made(name, partial(emit, unit))
            return "\n".join(made).encode()

        names = self._made(self.name(quick), contents).decode().split("\n")
        found = [made.get(each) or self._kept(each) for each in names]
        if None in found:  # the cache has let go of some
            contents()
            found = [made[each] for each in names]
        return [image for image in found if image is not None]

    def found(self) -> list[bytes] | None:
        """What :meth:`images` gives, if the cache has all of it: not what is compiled quickly."""
        names = self._kept(self.name())
        if not names:
            return None
        found = [self._kept(name) for name in names.decode().split("\n")]
        return None if None in found else [image for image in found if image is not None]

    def _say(self, why: str = "") -> None:
        self.note(
            f"compiling the fast engine for {self.what}{why} (once; later starts take it from a "
            "cache)"
        )

    def _made(self, name: str, make: Callable[[], bytes]) -> bytes:
        if content := self._kept(name):
            return content
        with alone(name):  # who waited for another process finds what that one made
            if content := self._kept(name):
                return content
            content = make()
            try:
                keep(place("code", name), content)
            except OSError as error:
                where = error.filename2 or error.filename or "the cache"
                if not self.warned:  # of one unit, not of each
                    self.warn(
                        f"compiled code cannot be kept: {where}: {error.strerror or error}; every "
                        "start will compile anew (TILELAB_CACHE names another folder)"
                    )
                self.warned = True
            else:
                if refused := self.refused.pop(name, None):
                    self.warn(f"not used, and replaced: {refused.filename}: {refused.strerror}")
        return content

    def _kept(self, name: str) -> bytes | None:
        """What the cache has; None if it has nothing, or a dump is wanted of what is made anew."""
        try:
            return kept(place("code", name)) if dump.folder() is None else None
        except UntrustedError as error:
            self.refused[name] = error
        except OSError:
            pass  # there is none yet
        return None


def optimised(unit: Unit, outside: binding.ModuleRef | None = None) -> binding.ModuleRef:
    """A unit in LLVM's own form, optimised for this processor.

    ``outside``: another one that calls its exported kernels, and that alone is seen from outside.
    """
    parsed = binding.parse_assembly(unit.text)
    if outside is not None:
        names = [function.name for function in parsed.functions if not function.is_declaration]
        parsed.link_in(outside)
        for name in names:
            parsed.get_function(name).linkage = "internal"
    parsed.verify()
    level = _level(unit)
    machine = _target(level)  # has to outlive the builder
    options = binding.create_pipeline_tuning_options(speed_level=level)
    builder = binding.create_pass_builder(machine, options)
    if unit.quick:
        passes = binding.create_new_module_pass_manager()
        for name in QUICK_PASSES:
            getattr(passes, f"add_{name}_pass")()
    else:
        passes = builder.getModulePassManager()
    passes.run(parsed, builder)
    if unit.twice and not unit.quick:
        _simplify(parsed, builder)
    return parsed


def _simplify(module: binding.ModuleRef, builder: binding.PassBuilder) -> None:
    """Simplify functions once more, now that loops are vector instructions.

    What one loop has stored and the next one loads then stays in registers.
    """
    passes = builder.getFunctionPassManager()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


def _level(unit: Unit) -> int:
    """How much is done for the speed of a unit's code."""
    if unit.quick:
        return 0
    return CHECKED_OPTIMISATION if unit.checked else OPTIMISATION


def emit(unit: Unit) -> bytes:
    """The object file of a unit."""
    llvm = optimised(unit)
    if dump.folder():
        dump.write(f"{unit.llvm.name}.ll", unit.text)
        dump.write(f"{unit.llvm.name}.optimised.ll", str(llvm))
    image: bytes = _target(_level(unit)).emit_object(llvm)
    return image


class Library:
    """Machine code in memory; its symbols are called with 64-bit integers."""

    def __init__(self, *images: bytes) -> None:
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _target())
        for image in images:
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
