"""What ``tilelab run --build`` builds before it runs: kernels whose source has changed."""

from collections.abc import Sequence
from pathlib import Path

from tilelab.build.fresh import build_if_stale
from tilelab.cli.console import progress_line, stderr
from tilelab.cli.streams import complain
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.runs.targets import kernel_files


def build_stale(names: Sequence[str], compiler: str) -> None:
    """Build those kernels of some targets whose source has changed; BadInputError as building."""
    with progress_line(stderr) as show:
        for path in [path for name in names for path in kernel_files(Path(name))]:
            show(f"{path.parent.name}: building")
            if why := build_if_stale(read_kernel_file(path, elfs_exist=False), compiler, note):
                show("")
                stderr.print(f"{path.parent.name}: built, because {why}", markup=False)


def note(text: str) -> None:
    """Tell a compiler's warnings."""
    complain("warnings", text)
