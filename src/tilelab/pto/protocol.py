"""The protocols, each as four answers: initial credits, who waits, who signals, what is drained.

| name | free credits at the start | push i waits | releasing tile j signals | who releases |
|---|---|---|---|---|
| ``seed`` | one per slot | always | always | TPOP; TFREE does nothing |
| ``tagged`` | one per slot, on the slot's own flag | always | always | TFREE |
| ``held`` | one per slot | always | always | TFREE, each of several held tiles in turn |
| ``sparse`` | none on A2/A3, SyncPeriod on A5 | sometimes | once a SyncPeriod | as the code |
| ``sparse_fixed`` | none | when a slot is not known to be free | once a SyncPeriod | as the code |
| ``rendezvous`` | one, whatever the depth | always | always | as the code |
| ``ack/N`` | none | when a slot is not known to be free | once in N tiles | as the code |
| ``chunk/N`` | one for every N slots | once in N tiles | once in N tiles | as the code |

Under ``chunk/N`` ready signals go once in N tiles, too. ``rendezvous`` is what pto-isa#103
describes, ``ack/1`` what it asks for.

"The code" is pto-isa at ``3186c381``. Its ``sparse`` rules grant more credits than slots on A5, and
on A2/A3 for odd SlotNum from 5: ``tilelab.pto.explore`` shows it.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from tilelab.pto.errors import FlagRangeError, PipeConfigError
from tilelab.pto.paths import find_arch

HL_FLAGS = 8  # flags per direction and peer in the tagged protocol's document

_NUMBERED = re.compile(r"(ack|chunk)/([1-9]\d{0,3})")
PROTOCOLS = ("seed", "tagged", "held", "sparse", "sparse_fixed")


def check_protocol(name: str) -> None:
    """PipeConfigError if there is no protocol of this name."""
    if name not in PROTOCOLS and name != "rendezvous" and not _NUMBERED.fullmatch(name):
        names = ", ".join((*PROTOCOLS, "rendezvous", "ack/N", "chunk/N"))
        raise PipeConfigError(f"no protocol {name!r}; there are {names}")


@dataclass(frozen=True)
class Protocol:
    """The credit rules of one ring. ``multi``: a TMPipe's, which the code credits otherwise."""

    name: str
    slot_num: int
    arch: str
    multi: bool = False

    def __post_init__(self) -> None:
        check_protocol(self.name)
        if self.numbered > self.slot_num or (self.chunk and self.slot_num % self.chunk):
            what = "a multiple of" if self.chunk else "at least"
            raise PipeConfigError(
                f"protocol {self.name} needs a SlotNum that is {what} {self.numbered}, "
                f"not {self.slot_num}"
            )

    @cached_property
    def numbered(self) -> int:
        """N of ``ack/N`` and ``chunk/N``; 0 of others."""
        found = _NUMBERED.fullmatch(self.name)
        return int(found[2]) if found else 0

    @cached_property
    def chunk(self) -> int:
        """N of ``chunk/N``; 0 of others."""
        return self.numbered if self.name.startswith("chunk") else 0

    def flags_of(self, flag_id: int, half: int) -> range:
        """The flags of a pipe's ring (half 1: the second of a two-way pipe), or FlagRangeError."""
        count = self.slot_num if self.tagged else 2
        first = flag_id + count * half
        if self.tagged and first + count > HL_FLAGS:
            raise FlagRangeError(
                f"protocol tagged needs flags {first}..{first + count - 1}; "
                f"there are {HL_FLAGS} per direction and peer"
            )
        return range(first, first + count)

    @cached_property
    def vendor(self) -> bool:
        """Whether the vendor's code, not the seed, decides where they differ."""
        return self.name.startswith(("sparse", "rendezvous", "ack", "chunk"))

    @cached_property
    def tagged(self) -> bool:
        """Whether each slot has a flag of its own."""
        return self.name == "tagged"

    @cached_property
    def every(self) -> bool:
        """Whether every push waits and every release signals."""
        always = not self.vendor or self.name == "rendezvous"
        return always or (self.multi and self.name == "sparse")

    @cached_property
    def period(self) -> int:
        """SyncPeriod: tiles per free signal."""
        if self.every or self.numbered:
            return self.numbered or 1
        return self.slot_num if self.slot_num <= 2 else self.slot_num // 2

    @cached_property
    def initial_credits(self) -> int:
        """Free signals that the consumer's opening sends (tagged: one on each slot's flag)."""
        if not self.vendor:
            return self.slot_num
        if self.chunk:
            return self.slot_num // self.chunk
        if self.name == "sparse_fixed" or self.numbered:
            return 0
        if self.multi or self.name == "rendezvous":
            return 1
        return self.period if find_arch(self.arch).opens_with_credits else 0

    def waits_free(self, tile: int) -> bool:
        """Whether TPUSH of this tile waits for a free signal."""
        if self.every:
            return True
        if self.chunk:
            return tile % self.chunk == 0
        if tile < self.slot_num:
            return False
        start = 0 if self.name == "sparse" else self.slot_num
        return (tile - start) % self.period == 0

    def signals_free(self, tile: int) -> bool:
        """Whether the release of this tile sends a free signal."""
        return self.every or (tile + 1) % self.period == 0

    def signals_ready(self, tile: int) -> bool:
        """Whether TPUSH of this tile says so at once; a chunk says it with its last tile."""
        return not self.chunk or (tile + 1) % self.chunk == 0

    def waits_ready(self, tile: int) -> bool:
        """Whether TPOP of this tile waits; a chunk waits at its first tile."""
        return not self.chunk or tile % self.chunk == 0

    def drain_count(self, pushed: int) -> int:
        """Free signals the producer waits for when it closes the pipe after ``pushed`` tiles."""
        if self.chunk:
            return self.initial_credits - (pushed % self.chunk > 0)
        if self.every or self.initial_credits:
            return self.initial_credits
        waited = sum(1 for tile in range(self.slot_num, pushed) if self.waits_free(tile))
        return max(0, pushed // self.period - waited)

    def pop_frees(self, late_free: bool) -> bool:
        """Whether TPOP of a tile releases the slot. ``late_free``: A5's UB, MAT and CTRL paths."""
        if self.tagged or self.name == "held":
            return False
        return self.name == "seed" or not late_free

    def tfree_frees(self) -> bool:
        """Whether TFREE(pipe) releases a slot: never in the seed, nor in A2/A3's code."""
        if self.vendor:
            return find_arch(self.arch).tfree_frees
        return self.tagged or self.name == "held"
