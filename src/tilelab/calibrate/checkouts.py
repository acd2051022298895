"""Checkouts of public repositories with kernels: work trees, or Git's own folders without one."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tilelab.sim.errors import BadInputError


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
        try:
            if not self.bare:
                file = self.folder / path
                return file.read_bytes() if file.is_file() else None
            command = ["git", f"--git-dir={self.folder}", "show", f"HEAD:{path}"]
            done = subprocess.run(command, capture_output=True, check=False)
        except OSError as error:
            raise BadInputError(f"{self.folder}: {error.strerror}") from None
        return done.stdout if done.returncode == 0 else None


@dataclass(frozen=True)
class Kernels:
    """All checkouts; the first that has a file gives it."""

    checkouts: Sequence[Checkout] = ()

    def read(self, path: str) -> bytes | None:
        """A file's content; None if no checkout has it."""
        found = (checkout.read(path) for checkout in self.checkouts)
        return next((content for content in found if content is not None), None)


def open_kernels(folders: Sequence[Path]) -> Kernels:
    """The checkouts in these folders; BadInputError for what is no folder."""
    for folder in folders:
        if not folder.is_dir():
            raise BadInputError(f"--kernels {folder}: no such folder")
    return Kernels(tuple(Checkout(folder) for folder in folders))
