"""What ``tilelab run`` builds before it runs: stale kernels, and kernels with other constants."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tilelab.build.compilers import Compiler, find_compiler
from tilelab.build.fresh import build_if_stale, build_variant, variants
from tilelab.cli.console import progress_line, stderr
from tilelab.cli.streams import complain
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.runs.job import Job, Ran, Variant
from tilelab.runs.targets import kernel_files
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
