"""Which kernels have to be built again, and kernels built with other constants."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tilelab.build.compilers import Compiler, find_compiler
from tilelab.kernels.kernel_toml.file import KernelFile
from tilelab.kernels.l1_places import outdated
from tilelab.sim.errors import BadInputError

HEADERS = (".h", ".hpp", ".hh")
MOST_VARIANTS = 1000


def _builder() -> Any:
    """What builds, which is only imported if something is built."""
    return import_module("tilelab.build.kernel")


def stale(kernel: KernelFile) -> str:
    """Why a kernel's ELFs are not what its source would give; "" if nothing says so.

    What it was built of is known of the source and kernel.toml; headers beside the source are
    compared by date.
    """
    if kernel.build is None:
        return ""
    if missing := [elf.name for elf in kernel.elfs.values() if not elf.is_file()]:
        return f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not built"
    if changed := outdated(kernel):
        return changed[0]
    built = min(elf.stat().st_mtime for elf in kernel.elfs.values())
    for path in sorted(kernel.build.source.parent.iterdir()):
        if path.suffix in HEADERS and path.stat().st_mtime > built:
            return f"{path.name} is newer than the ELFs"
    return ""


def build_if_stale(
    kernel: KernelFile, choice: str = "", note: Callable[[str], None] = lambda text: None
) -> str:
    """Build a kernel if it is stale, with the compiler chosen; returns why it was, or ""."""
    if why := stale(kernel):
        _builder().build_kernel(kernel, find_compiler(choice), None, note)
    return why


def build_variant(
    kernel: KernelFile,
    constants: Mapping[str, int],
    folder: Path,
    compiler: Compiler,
    note: Callable[[str], None],
    fidelity: str = "",
) -> KernelFile:
    """Build a kernel with other constants into a folder; returns it, with those ELFs.

    ``fidelity``: another ``math_fidelity``, too.

    BadInputError if it has no ``[build]`` or no such constant, and if it does not compile.
    """
    if kernel.build is None:
        raise BadInputError(f"{kernel.shown}: has no [build] table, so there are no constants")
    for name in constants:
        if name not in kernel.build.constants:
            known = ", ".join(kernel.build.constants) or "none at all"
            raise BadInputError(f"{kernel.shown}: has no constant {name!r}; it has {known}")
    changed: KernelFile = _builder().with_constants(kernel, dict(constants))
    if fidelity:
        assert changed.build is not None
        changed = replace(changed, build=replace(changed.build, math_fidelity=fidelity))
    built = _builder().build_kernel(changed, compiler, folder, note)
    return replace(changed, elfs=MappingProxyType({item.core: item.path for item in built}))


def variants(definitions: Sequence[str]) -> Iterator[dict[str, int]]:
    """Every choice of constants: ``NAME=1,2,4`` gives three, two such ``-D`` give their product.

    ``1..8`` stands for the numbers from 1 to 8. BadInputError as ``constants_from``, for a name
    that comes twice, and for more than ``MOST_VARIANTS``.
    """
    choices: dict[str, list[int]] = {}
    count = 1
    for text in definitions:
        name, _, values = text.partition("=")
        if name in choices:
            raise BadInputError(f"-D {text}: {name} comes twice; write -D {name}=1,2")
        if not all(values.split(",")):
            raise BadInputError(f"-D {text}: not NAME=VALUE[,VALUE...]")
        choices[name] = [value for one in values.split(",") for value in _values(name, one)]
        count *= len(choices[name])
        if count > MOST_VARIANTS:
            raise BadInputError(f"-D: more than {MOST_VARIANTS} combinations")
    for chosen in product(*choices.values()):
        yield dict(zip(choices, chosen, strict=True))


def _values(name: str, text: str) -> Sequence[int]:
    """A value of a constant, or those from one to another."""
    first, dots, last = text.partition("..")
    ends = [
        _builder().constants_from([f"{name}={end}"])[name]
        for end in ([first, last] if dots else [first])
    ]
    if ends[-1] < ends[0] or ends[-1] - ends[0] >= MOST_VARIANTS:
        raise BadInputError(f"-D {name}={text}: from 1 to {MOST_VARIANTS} values, the least first")
    return range(ends[0], ends[-1] + 1)
