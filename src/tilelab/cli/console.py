"""Where the commands print: results to stdout, messages to stderr, progress on terminals only."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from tilelab.cli.streams import drop, printing

if os.environ.get("COLUMNS") == "0":
    del os.environ["COLUMNS"]  # some shells have it so; Rich would print nothing at all


class Screen(Console):
    """stdout. When nobody reads it any more the command ends, unless ``printing.goes_on``."""

    def on_broken_pipe(self) -> None:
        """Called where nobody reads any more."""
        drop(sys.stdout)
        if not printing.goes_on:
            raise BrokenPipeError


stdout = Screen(highlight=False, soft_wrap=True)
stderr = Console(stderr=True, highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """Print a line as it is: brackets in it are no markup."""
    stdout.print(text, markup=False)


@contextmanager
def progress_line(console: Console) -> Iterator[Callable[[str], None]]:
    """Yields what shows a line of progress on a terminal, and nothing elsewhere; "" clears it.

    It draws only when called: it has no thread, so that processes can be started meanwhile.
    """
    shown = ""
    draws = console.is_terminal and not console.is_dumb_terminal

    def show(text: str) -> None:
        nonlocal shown
        if draws and (text := text[: console.width - 1]) != shown:
            console.file.write(f"\r{text}\x1b[K")
            console.file.flush()
            shown = text

    try:
        yield show
    finally:
        show("")
