"""What only warned, told by what ends a run: it may be the reason."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tilelab.sim.errors import MachineError
from tilelab.tensix.tile.tile import Tile


@contextmanager
def warnings_told(tile: Tile, more: Sequence[str] = ()) -> Iterator[None]:
    """What ends the run within also tells, last, what only warned until then, and ``more``."""
    try:
        yield
    except MachineError as error:
        lines = [f"  warning {line}" for line in (*more, *tile.warnings)]
        if not lines:
            raise
        detail = "\n".join(filter(None, (error.detail, *lines)))
        raise type(error)(error.summary, detail) from None
