"""pytest plugin: every ``kernel.toml`` that pytest meets is a test.

It comes with tilelab and needs no configuration: ``pytest kernels/`` runs the kernels of a folder,
each as ``kernels/NAME/kernel.toml::NAME``, so that ``-k``, ``--lf``, ``-n`` and ``--junitxml`` do
what they do for other tests. ``--tilelab-build`` builds those first whose source has changed. A
test in Python takes the fixture ``kernel_result``, a function of a folder, or ``tilelab``, which
runs kernels under the checker and under schedules (:mod:`tilelab.pytest_kernels`).
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tilelab.pytest_kernels import Kernels
    from tilelab.tensix import KernelResult

KERNEL_FILE = "kernel.toml"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's options."""
    group = parser.getgroup("tilelab")
    group.addoption(
        "--tilelab-build", action="store_true", help="build kernels whose source has changed"
    )
    group.addoption("--tilelab-kernel-engine", choices=("fast", "reference"), default="fast")
    group.addoption("--no-tilelab-kernels", action="store_true", help="collect no kernel.toml")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a kernel.toml."""
    if file_path.name != KERNEL_FILE or parent.config.getoption("--no-tilelab-kernels"):
        return None
    made: KernelCollector = KernelCollector.from_parent(parent, path=file_path)
    return made


class KernelCollector(pytest.File):
    """A kernel.toml: one test."""

    def collect(self) -> Iterator[pytest.Item]:
        """The test, called as its folder."""
        yield KernelItem.from_parent(self, name=self.path.parent.name)


class WrongResultError(Exception):
    """A kernel's outputs are not what its kernel.toml expects."""


class KernelItem(pytest.Item):
    """The run of a kernel."""

    def runtest(self) -> None:
        """Run it; WrongResultError, or what the run raises."""
        result = run(self.path, self.config)
        self.add_report_section("call", "tilelab", repr(result))
        self.user_properties.append(("cycles", result.cycles))
        for warning in result.warnings:
            self.warn(pytest.PytestWarning(warning))
        if not result.passed:
            lines = [line for output in result.outputs for line in output.lines()]
            raise WrongResultError("\n".join([f"{result!r}", *lines]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What is wrong, or the whole report; a traceback only of defects."""
        from tilelab import TilelabError  # noqa: PLC0415 - whoever has no kernels need not wait

        if isinstance(excinfo.value, TilelabError | WrongResultError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it is, for people."""
        return self.path, 0, f"kernel {self.name}"


def run(path: Path, config: pytest.Config) -> "KernelResult":
    """Run a kernel as the options say."""
    from tilelab.tensix import Tile, read_kernel_file, run_kernel  # noqa: PLC0415 - as above

    if config.getoption("--tilelab-build"):
        from tilelab.build.fresh import build_if_stale  # noqa: PLC0415 - as above

        build_if_stale(read_kernel_file(path, elfs_exist=False))
    kernel = read_kernel_file(path)
    return run_kernel(kernel, Tile(kernel.arch, config.getoption("--tilelab-kernel-engine")))


@pytest.fixture
def kernel_result(request: pytest.FixtureRequest) -> Callable[[Path | str], "KernelResult"]:
    """A function that runs the kernel of a folder, relative to the test's own."""
    return lambda folder: run(request.path.parent / folder, request.config)


@pytest.fixture
def tilelab(request: pytest.FixtureRequest) -> "Kernels":
    """Kernels by folders, relative to the test's own: ``check``, ``schedules``, ``orders``."""
    from tilelab.pytest_kernels import Kernels  # noqa: PLC0415 - as above

    return Kernels(request.path.parent)
