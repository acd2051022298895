"""Kernels built with other constants, or another fidelity, than their kernel.toml gives."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tilelab.build.compilers import Compiler, find_compiler
from tilelab.build.fresh import build_variant, variants
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.report.what_if import WhatIf
from tilelab.runs.job import Job, Ran, Variant
from tilelab.sim.errors import BadInputError

Say = Callable[[str], None]


def _nothing(text: str) -> None:
    pass


def with_variants(
    ready: list[Job | Ran],
    definitions: Sequence[str],
    folder: Path,
    compiler: str,
    show: Say = _nothing,
    note: Say = _nothing,
) -> list[Job | Ran]:
    """Each kernel once for each choice of constants, built into a folder.

    One that does not build is the outcome of its run. BadInputError for a target that is no
    kernel.toml. ``show`` is told what is built, ``note`` of warnings.
    """
    chosen = list(variants(definitions))
    tool = find_compiler(compiler)
    made: list[Job | Ran] = []
    for item in ready:
        if isinstance(item, Job) and not isinstance(item.what, Path):
            raise BadInputError(f"-D: {item.name} is no kernel.toml, so it has no constants")
        for constants in chosen:
            show(f"{item.name}: building {len(made) + 1}")
            made.append(_variant(item, constants, folder / str(len(made)), tool, note))
    return made


def with_what_ifs(
    ready: list[Job | Ran],
    supposed: Sequence[WhatIf],
    folder: Path,
    compiler: str,
    note: Say = _nothing,
) -> list[Job | Ran]:
    """Each job with what it is to be run again with; what needs another build is built.

    BadInputError for another fidelity of what has no ``[build]`` with a ``math_fidelity``.
    """
    tool = find_compiler(compiler) if any(one.fidelity for one in supposed) else None
    made: list[Job | Ran] = []
    for item in ready:
        if isinstance(item, Ran):
            made.append(item)
            continue
        at = folder / f"what-if-{len(made)}"
        again = [(one, _of_fidelity(item, one, at, tool, note)) for one in supposed]
        made.append(replace(item, what_ifs=tuple(again)))
    return made


def _of_fidelity(
    item: Job, supposed: WhatIf, folder: Path, tool: Compiler | None, note: Say
) -> Variant | None:
    if tool is None or not supposed.fidelity:
        return item.variant
    if not isinstance(item.what, Path):
        raise BadInputError(f"--what-if {supposed.text}: {item.name} is no kernel.toml")
    kernel = read_kernel_file(item.what, elfs_exist=False)
    if kernel.build is None or not kernel.build.math_fidelity:
        raise BadInputError(
            f"--what-if {supposed.text}: {kernel.shown} has no [build] with a math_fidelity"
        )
    constants = dict(item.variant.constants) if item.variant else {}
    at = folder / supposed.fidelity
    return _of(build_variant(kernel, constants, at, tool, note, supposed.fidelity), kernel)


def _variant(
    item: Job | Ran, constants: dict[str, int], folder: Path, tool: Compiler, note: Say
) -> Job | Ran:
    if isinstance(item, Ran):
        return item
    assert isinstance(item.what, Path)
    name = " ".join([item.name, *(f"{key}={value}" for key, value in constants.items())])
    try:
        kernel = read_kernel_file(item.what, elfs_exist=False)
        built = build_variant(kernel, constants, folder, tool, note)
    except BadInputError as error:
        return Ran(name, error, constants=tuple(constants.items()))
    return replace(item, name=name, variant=_of(built, kernel))


def _of(built: KernelFile, kernel: KernelFile) -> Variant:
    """What was built, and in what it differs from the kernel as its kernel.toml has it."""
    assert built.build is not None
    assert kernel.build is not None
    own, constants = kernel.build.constants, built.build.constants
    changed = tuple((n, value, own[n]) for n, value in constants.items() if own[n] != value)
    return Variant(tuple(built.elfs.items()), tuple(constants.items()), changed)
