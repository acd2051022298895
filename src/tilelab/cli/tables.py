"""Tables of the reports: a row is a line; only a terminal folds what its last column holds."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

GAP = 2
LEAST = 24
"""Columns that the last column has on a terminal, however narrow that is."""
UNBOUNDED = 100_000


@dataclass
class Rows:
    """A table without lines. Heads that begin with ``>`` are of columns of numbers.

    Cells are Rich's markup. ``folds``: on a terminal, long last cells go on in the next line.
    """

    heads: tuple[str, ...]
    folds: bool = True
    rows: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        """Add a row; it may be shorter than the heads."""
        self.rows.append(cells)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
        for number, head in enumerate(self.heads):
            last = number == len(self.heads) - 1
            table.add_column(
                head.removeprefix(">"),
                justify="right" if head.startswith(">") else "left",
                no_wrap=not (last and self.folds),
            )
        for row in self.rows:
            table.add_row(*row)
        width = UNBOUNDED
        if self.folds and console.is_terminal:
            width = max(console.width, self._fixed() + LEAST)
        yield from _trimmed(console.render(table, options.update(width=width)))

    def _fixed(self) -> int:
        """The width of all columns but the last."""
        heads = tuple(head.removeprefix(">") for head in self.heads)
        columns = zip(*(row for row in (heads, *self.rows) if len(row) == len(heads)), strict=True)
        widths = [max(cell_len(Text.from_markup(cell).plain) + GAP for cell in c) for c in columns]
        return sum(widths[:-1])


def _trimmed(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Lines without the blanks at their ends."""
    for line in Segment.split_lines(segments):
        while line and not line[-1].text.strip():
            line.pop()
        if line:
            line[-1] = Segment(line[-1].text.rstrip(), line[-1].style)
        yield from line
        yield Segment.line()
