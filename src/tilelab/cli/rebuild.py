"""What ``tilelab run`` builds before it runs: stale kernels, and kernels with other constants."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tilelab.build.compilers import Compiler, find_compiler
from tilelab.build.fresh import build_if_stale, build_variant, variants
from tilelab.cli.console import complain, progress_line, stderr
from tilelab.cli.job import Job, Ran, Variant
from tilelab.cli.targets import kernel_files
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.report.what_if import WhatIf
from tilelab.sim.errors import BadInputError


def build_stale(names: Sequence[str], compiler: str) -> None:
    """Build those kernels of some targets whose source has changed; BadInputError as building."""
    with progress_line(stderr) as show:
        for path in [path for name in names for path in kernel_files(Path(name))]:
            show(f"{path.parent.name}: building")
            if why := build_if_stale(read_kernel_file(path, elfs_exist=False), compiler, _note):
                show("")
                stderr.print(f"{path.parent.name}: built, because {why}", markup=False)


def with_variants(
    ready: list[Job | Ran], definitions: Sequence[str], folder: Path, compiler: str
) -> list[Job | Ran]:
    """Each kernel once for each choice of constants, built into a folder.

    One that does not build is the outcome of its run. BadInputError for a target that is no
    kernel.toml.
    """
    tool = find_compiler(compiler)
    chosen = list(variants(definitions))
    with progress_line(stderr) as show:
        made: list[Job | Ran] = []
        for item in ready:
            if isinstance(item, Job) and not isinstance(item.what, Path):
                raise BadInputError(f"-D: {item.name} is no kernel.toml, so it has no constants")
            for constants in chosen:
                show(f"{item.name}: building {len(made) + 1}")
                made.append(_variant(item, constants, folder / str(len(made)), tool))
    return made


def with_what_ifs(
    ready: list[Job | Ran], supposed: Sequence[WhatIf], folder: Path, compiler: str
) -> list[Job | Ran]:
    """Each job with what it is to be run again with; what needs another build is built.

    BadInputError for another fidelity of what has no ``[build]`` with a ``math_fidelity``.
    """
    made: list[Job | Ran] = []
    for item in ready:
        if isinstance(item, Ran):
            made.append(item)
            continue
        at = folder / f"what-if-{len(made)}"
        again = [(one, _of_fidelity(item, one, at, compiler)) for one in supposed]
        made.append(replace(item, what_ifs=tuple(again)))
    return made


def _of_fidelity(item: Job, supposed: WhatIf, folder: Path, compiler: str) -> Variant | None:
    if not supposed.fidelity:
        return item.variant
    if not isinstance(item.what, Path):
        raise BadInputError(f"--what-if {supposed.text}: {item.name} is no kernel.toml")
    kernel = read_kernel_file(item.what, elfs_exist=False)
    if kernel.build is None or not kernel.build.math_fidelity:
        raise BadInputError(
            f"--what-if {supposed.text}: {kernel.path} has no [build] with a math_fidelity"
        )
    constants = dict(item.variant.constants) if item.variant else {}
    tool, at = find_compiler(compiler), folder / supposed.fidelity
    return _of(build_variant(kernel, constants, at, tool, _note, supposed.fidelity), kernel)


def _variant(item: Job | Ran, constants: dict[str, int], folder: Path, tool: Compiler) -> Job | Ran:
    if isinstance(item, Ran):
        return item
    assert isinstance(item.what, Path)
    name = " ".join([item.name, *(f"{key}={value}" for key, value in constants.items())])
    try:
        kernel = read_kernel_file(item.what, elfs_exist=False)
        built = build_variant(kernel, constants, folder, tool, _note)
    except BadInputError as error:
        return Ran(name, error)
    return replace(item, name=name, variant=_of(built, kernel))


def _of(built: KernelFile, kernel: KernelFile) -> Variant:
    """What was built, and in what it differs from the kernel as its kernel.toml has it."""
    assert built.build is not None
    assert kernel.build is not None
    own, constants = kernel.build.constants, built.build.constants
    changed = tuple((n, value, own[n]) for n, value in constants.items() if own[n] != value)
    return Variant(tuple(built.elfs.items()), tuple(constants.items()), changed)


def _note(text: str) -> None:
    complain("warnings", text)
