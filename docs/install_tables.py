"""The parts of pages that depend on where the repository is: one line of pyproject.toml says it.

``[project.urls]`` has ``Repository`` from the day of publication on. Until then pages speak of a
checkout and name no address.
"""

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
NEEDS = "with Python 3.11 or newer"


def repository() -> str | None:
    """The repository's address, if it has one yet."""
    with PROJECT.open("rb") as file:
        urls = tomllib.load(file)["project"].get("urls", {})
    return urls.get("Repository")


def checkout() -> Iterator[str]:
    """How to come to a checkout, which the commands below are for."""
    address = repository()
    if address is None:
        yield f"In a checkout of the repository, {NEEDS}:"
        return
    yield f"Get a checkout, {NEEDS}:"
    yield ""
    yield "<!-- not run: installs -->"
    yield "```sh"
    yield f"git clone {address} tilelab && cd tilelab"
    yield "```"


PARTS: dict[str, dict[str, Callable[[], Iterator[str]]]] = {
    page: {"checkout": checkout} for page in ("../README.md", "index.md", "getting-started.md")
}
