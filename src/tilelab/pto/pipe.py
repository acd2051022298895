"""An open pipe: one core's TPUSH, TPOP, TFREE and TALLOC, in the argument order of TPipe and of
TMPipe.

Every operation is a generator: ``yield from pipe.tpush(tile)``. An operation that is created and
never awaited is reported when the core program ends.
"""

from dataclasses import dataclass
from typing import TypeVar

from tilelab.pto.config import NO_SPLIT, Pipe, TileSplitAxis
from tilelab.pto.consumer import Consumer
from tilelab.pto.end import Steps
from tilelab.pto.errors import CoreRoleError, ProtocolOrderError
from tilelab.pto.fixpipe import Fixpipe
from tilelab.pto.producer import Producer
from tilelab.pto.ring import Ring
from tilelab.pto.seat import Seat
from tilelab.pto.tile import GlobalTensor, Tile

_End = TypeVar("_End", Producer, Consumer)


@dataclass
class Fifo:
    """``pipe.fifo``: the buffers' addresses, and the newest control signal."""

    gm_slot_buffer: int
    c2v_consumer_buf: int
    v2c_consumer_buf: int
    cons: Consumer | None = None

    @property
    def ctrl_signal(self) -> int | bool:
        """What the last V2C_CTRL pop read: a word (in the vendor's protocols, whether it is 1)."""
        return self.cons.ctrl_signal if self.cons else 0

    ctrlSignal = ctrl_signal  # noqa: N815


class OpenPipe:
    """A pipe as one core sees it: ``prod`` where it produces, ``cons`` where it consumes."""

    def __init__(
        self, core: Seat, config: Pipe, rings: list[Ring], fifo: Fifo, local: dict[str, int]
    ) -> None:
        self.core = core
        self.config = config
        self.fifo = fifo
        self.closed = False
        self._opening = (config, rings)
        core.live.append(self._opening)
        core.joined += rings
        self.producer: Producer | None = None
        self.consumer: Consumer | None = None
        produces = "C2V" if core.lane < 0 else "V2C"
        for ring in rings:
            if ring.half == produces:
                self.producer = Producer(core, ring)
            else:
                self.consumer = Consumer(core, ring, local[ring.half])
        fifo.cons = self.consumer
        if self.consumer is not None:
            self.consumer.open()

    @property
    def prod(self) -> Producer:
        """The producer's half, or CoreRoleError."""
        if self.producer is None:
            raise CoreRoleError(
                f"{self.core.name} does not produce into {self.config.direction.name}"
            )
        return self.producer

    @property
    def cons(self) -> Consumer:
        """The consumer's half, or CoreRoleError."""
        if self.consumer is None:
            raise CoreRoleError(
                f"{self.core.name} does not consume from {self.config.direction.name}"
            )
        return self.consumer

    def _live(self, end: _End) -> _End:
        """An end of a pipe that is still open."""
        if self.closed:
            raise ProtocolOrderError(
                f"{self.core.name} uses flag {self.config.flag_id}'s pipe after close"
            )
        return end

    def tpush(
        self,
        source: Tile | GlobalTensor,
        split: TileSplitAxis = NO_SPLIT,
        subblock: int | None = None,
        fixpipe: Fixpipe | None = None,
    ) -> Steps:
        """Push a tile, or signal the slot TALLOC bound. ``subblock`` replaces get_subblockid()."""
        prod = self.producer
        if prod is None or self.closed:
            prod = self._live(self.prod)
        if isinstance(source, GlobalTensor):
            return prod.push_global(split)
        return prod.push(source, split, subblock, fixpipe)

    def tpop(
        self,
        target: Tile | GlobalTensor,
        split: TileSplitAxis = NO_SPLIT,
        subblock: int | None = None,
    ) -> Steps:
        """Pop into a tile, or bind a tensor to the slot."""
        cons = self.consumer
        if cons is None or self.closed:
            cons = self._live(self.cons)
        if isinstance(target, GlobalTensor):
            return cons.pop_global(target, split)
        return cons.pop(target, split, subblock)

    def tfree(self, tensor: GlobalTensor | None = None, split: TileSplitAxis = NO_SPLIT) -> Steps:
        """Free the oldest held slot, where the protocol lets TFREE do so."""
        return self._live(self.cons).release(split, tensor)

    def talloc(self, tensor: GlobalTensor, split: TileSplitAxis = NO_SPLIT) -> Steps:
        """Wait for a free slot and bind the tensor to it."""
        return self._live(self.prod).allocate(tensor, split)

    def close(self, drain: int | None = None) -> Steps:
        """The destructor: drain unused free credits (or ``drain`` of them). Runs by itself."""
        if self.closed:
            return
        if self.producer is not None:
            yield from self.producer.drain(drain)
        self.closed = True
        self.core.live.remove(self._opening)


def _ordered(
    first: OpenPipe | Tile | GlobalTensor, second: OpenPipe | Tile | GlobalTensor
) -> tuple[OpenPipe, Tile | GlobalTensor]:
    if isinstance(first, OpenPipe) and not isinstance(second, OpenPipe):
        return first, second
    if isinstance(second, OpenPipe) and not isinstance(first, OpenPipe):
        return second, first
    raise TypeError("an operation takes one open pipe and one tile or GlobalTensor")


def tpush(
    first: OpenPipe | Tile | GlobalTensor,
    second: OpenPipe | Tile | GlobalTensor,
    split: TileSplitAxis = NO_SPLIT,
    subblock: int | None = None,
    fixpipe: Fixpipe | None = None,
) -> Steps:
    """TPUSH(pipe, tile) as for TPipe, or TPUSH(tile, pipe) as for TMPipe."""
    pipe, operand = _ordered(first, second)
    return pipe.tpush(operand, split, subblock, fixpipe)


def tpop(
    first: OpenPipe | Tile | GlobalTensor,
    second: OpenPipe | Tile | GlobalTensor,
    split: TileSplitAxis = NO_SPLIT,
    subblock: int | None = None,
) -> Steps:
    """TPOP(pipe, tile) as for TPipe, or TPOP(tile, pipe) as for TMPipe."""
    pipe, operand = _ordered(first, second)
    return pipe.tpop(operand, split, subblock)


def talloc(
    first: OpenPipe | GlobalTensor,
    second: OpenPipe | GlobalTensor,
    split: TileSplitAxis = NO_SPLIT,
) -> Steps:
    """TALLOC(pipe, tensor) or TALLOC(tensor, pipe)."""
    pipe, operand = _ordered(first, second)
    if not isinstance(operand, GlobalTensor):
        raise TypeError("TALLOC binds a GlobalTensor")
    return pipe.talloc(operand, split)


def tfree(
    first: OpenPipe | GlobalTensor,
    second: OpenPipe | GlobalTensor | None = None,
    split: TileSplitAxis = NO_SPLIT,
) -> Steps:
    """TFREE(pipe), TFREE(pipe, tensor) or TFREE(tensor, pipe)."""
    if second is None and isinstance(first, OpenPipe):
        return first.tfree(None, split)
    pipe, operand = _ordered(first, second)  # type: ignore[arg-type]
    if not isinstance(operand, GlobalTensor):
        raise TypeError("TFREE takes a pipe and, for its GlobalTensor form, the tensor")
    return pipe.tfree(operand, split)
