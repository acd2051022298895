"""``tilelab doctor``: does what is installed here work, and what is not installed?"""

import platform
import secrets
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from time import perf_counter
from typing import Any

from rich.markup import escape

from tilelab import __version__
from tilelab.build.compilers import find_compiler
from tilelab.cli.console import progress_line, stderr, stdout
from tilelab.cli.streams import print_json
from tilelab.cli.tables import Rows
from tilelab.cli.usage import JSON, command
from tilelab.kernels.examples import examples, examples_folder
from tilelab.kernels.run import run_kernel
from tilelab.sim.cache import LIMIT_BYTES, cache_folder, entries, make_folder
from tilelab.sim.confined import version as landlock
from tilelab.sim.errors import TilelabError
from tilelab.tensix.tile.tile import Tile

EXTRAS = {
    "build": ("ziglang", "kernels from source"),
    "page": ("playwright", "tests of the page"),
    "cluster": ("distributed", "run --cluster"),
    "bench": ("wolfpine", "a comparison in tilelab bench"),
}
"""Of each optional extra: the module that tells whether it is there, and what for."""
GOOD, MISSING, BAD = "good", "missing", "BAD"


@dataclass(frozen=True)
class Finding:
    """What was looked at. Something missing is not needed by most; something bad is."""

    what: str
    state: str
    detail: str


@command()
def doctor(
    json: bool = JSON,
) -> int:
    """Check the installation: packages, cache, compilers, an example; exit 1 for what is bad."""
    found: list[Finding] = []
    with progress_line(stderr) as show:
        for name, check in CHECKS.items():
            show(f"{name}: looking")
            try:
                found += check()
            except (TilelabError, OSError) as error:
                found.append(Finding(name, BAD, str(error).partition("\n")[0]))
    if json:
        print_json({"version": __version__, "findings": [asdict(item) for item in found]})
    else:
        table = Rows(("what", "state", "detail"))
        for item in found:
            table.add(item.what, item.state, escape(item.detail))
        stdout.print(table)
    return int(any(item.state == BAD for item in found))


def _python() -> Iterator[Finding]:
    where = f"{platform.python_implementation()} {platform.python_version()}, {platform.platform()}"
    yield Finding("Python", GOOD, where)
    yield Finding("tilelab", GOOD, __version__)


def _packages() -> Iterator[Finding]:
    """What tilelab needs, by its own metadata."""
    for need in requires("tilelab") or ():
        name, _, condition = need.partition(";")
        if condition:
            continue
        name = name.split(">")[0].split("<")[0].strip()
        try:
            yield Finding(name, GOOD, version(name))
        except PackageNotFoundError:
            yield Finding(name, BAD, f"not installed; tilelab needs {need}")


def _cache() -> Iterator[Finding]:
    folder = cache_folder()
    make_folder(folder)
    at = folder / f"doctor-{secrets.token_hex(4)}"
    at.write_bytes(b"")
    at.unlink()
    full = sum(entry.size for entry in entries(folder)) >> 20
    yield Finding("cache", GOOD, f"{folder}, {full:,} MiB of {LIMIT_BYTES >> 20:,}")


def _sandbox() -> Iterator[Finding]:
    if there := landlock():
        yield Finding("Landlock", GOOD, f"version {there}; tilelab score confines with it")
    else:
        yield Finding("Landlock", MISSING, "tilelab score confines candidates with it")


def _compilers() -> Iterator[Finding]:
    for name in ("zig", "gcc"):
        try:
            yield Finding(f"compiler {name}", GOOD, find_compiler(name).version)
        except TilelabError as error:
            yield Finding(f"compiler {name}", MISSING, error.summary)


def _extras() -> Iterator[Finding]:
    for name, (module, use) in EXTRAS.items():
        if find_spec(module):
            yield Finding(f"extra {name}", GOOD, use)
        else:
            yield Finding(f"extra {name}", MISSING, f"for {use}: pip install 'tilelab[{name}]'")


def _example() -> Iterator[Finding]:
    """One example on each engine: the fast one compiles, or finds what it has compiled."""
    folder = examples_folder()
    yield Finding("examples", GOOD, str(folder))
    for engine in ("fast", "reference"):
        begin = perf_counter()
        result = run_kernel(examples()["datacopy"], Tile(engine=engine))
        state = GOOD if result.passed else BAD
        took = f"datacopy, {result.cycles:,} cycles, {perf_counter() - begin:.1f} s"
        yield Finding(f"engine {engine}", state, took)


CHECKS: dict[str, Callable[[], Iterator[Any]]] = {
    "Python": _python,
    "packages": _packages,
    "cache": _cache,
    "sandbox": _sandbox,
    "compilers": _compilers,
    "extras": _extras,
    "examples": _example,
}
