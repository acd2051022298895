"""Checkouts of public repositories with kernels: work trees, or Git's own folders without one."""

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tilelab.sim.errors import BadInputError
from tilelab.sim.files import telling


@dataclass(frozen=True)
class Checkout:
    """A folder with files, or a Git directory, of which the newest commit is read."""

    folder: Path

    @cached_property
    def bare(self) -> bool:
        """Whether it is Git's own folder."""
        return (self.folder / "HEAD").is_file() and (self.folder / "objects").is_dir()

    def read(self, path: str) -> bytes | None:
        """A file's content; None if there is no such file."""
        with telling(self.folder):
            if not self.bare:
                file = self.folder / path
                return file.read_bytes() if file.is_file() else None
            command = ["git", f"--git-dir={self.folder}", "show", f"HEAD:{path}"]
            done = subprocess.run(command, capture_output=True, check=False)
            return done.stdout if done.returncode == 0 else None


@dataclass(frozen=True)
class Kernels:
    """All checkouts; the first that has a file gives it."""

    checkouts: Sequence[Checkout] = ()

    def read(self, path: str) -> bytes | None:
        """A file's content; None if no checkout has it."""
        found = (checkout.read(path) for checkout in self.checkouts)
        return next((content for content in found if content is not None), None)


METAL = ("tt_metal", "tt-llk")
"""Folders of the vendor's kernels, as tt-metal has them; a file's path may begin with either."""


def laid_over(checkouts: Kernels, changed: Path, folder: Path) -> Kernels:
    """The checkouts with some files changed: copies in ``folder``, of those that have the files.

    ``changed`` has the files by their paths in the checkout. BadInputError if it has none, or none
    that a checkout has a folder for.
    """
    files = [file.relative_to(changed) for file in sorted(changed.rglob("*")) if file.is_file()]
    laid, made = 0, []
    for number, checkout in enumerate(checkouts.checkouts):
        root = _root(checkout.folder)
        own = [file for file in files if (root / file.parent).is_dir()] if not checkout.bare else []
        if not own:
            made.append(checkout)
            continue
        copy = folder / str(number)
        shutil.copytree(root, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        for file in own:
            (copy / file).unlink(missing_ok=True)
            shutil.copyfile(changed / file, copy / file)
        made.append(Checkout(copy / checkout.folder.resolve().relative_to(root)))
        laid += len(own)
    if not laid:
        raise BadInputError(f"{changed}: no file of it lies where a checkout of --kernels has one")
    return Kernels(tuple(made))


def _root(folder: Path) -> Path:
    """The folder that has tt_metal, of a checkout of it or of a part of it."""
    here = folder.resolve()
    for place in (here, *here.parents[:2]):
        if (place / METAL[0] / METAL[1]).is_dir():
            return place
    return here


def open_kernels(folders: Sequence[Path], option: str = "--kernels") -> Kernels:
    """The checkouts in these folders; BadInputError for what is no folder."""
    for folder in folders:
        if not folder.is_dir():
            raise BadInputError(f"{option} {folder}: no such folder")
    return Kernels(tuple(Checkout(folder) for folder in folders))
