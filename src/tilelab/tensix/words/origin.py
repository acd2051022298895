"""Where an issued word came from, packed into one number that travels with it.

Where in a MOP's loops a word was emitted is too long to travel along: traces note it at the MOP
expander (:func:`unpack_place`).

This file alone knows the bits. The kernels below take one origin or an array of them.

Bits 31..0: the pusher's program counter (or the statement's number in an assembly program).
Bits 47..32: 1 + which word of a MOP's expansion it is; 0 if no MOP made it.
Bits 53..48: 1 + the replay slot it was played back from; 0 if it was not.
Bits 58..56: who pushed it: 0..2 TRISC0..2, 3 BRISC, 4 NCRISC, 7 the host.
"""

from typing import Any, NamedTuple, TypeVar

import numpy.typing as npt

from tilelab.sim.kernel import kernel
from tilelab.tensix.tables.cores import CORE_IDS

OriginT = TypeVar("OriginT", int, npt.NDArray[Any])
"""An origin, or an array of them."""
BRISC, NCRISC, HOST = 3, 4, 7
CORE_NAMES = {number: name.upper() for name, number in CORE_IDS.items()} | {HOST: "host"}


@kernel
def origin_of(core: OriginT, pc: OriginT) -> OriginT:
    """Pack the origin of a pushed word."""
    packed: OriginT = core << 56 | pc
    return packed


@kernel
def with_mop_step(origin: int, step: int) -> int:
    """Mark a word as number ``step`` of a MOP's expansion."""
    return origin | ((step + 1) & 0xFFFF) << 32


@kernel
def with_replay_slot(origin: int, slot: int) -> int:
    """Mark a word as played back from a replay slot."""
    return origin | (slot + 1) << 48


@kernel
def pusher(origin: OriginT) -> OriginT:
    """Who pushed a word."""
    return origin >> 56 & 7


@kernel
def pushed_at(origin: OriginT) -> OriginT:
    """The pusher's program counter."""
    return origin & 0xFFFFFFFF


@kernel
def push_site(origin: OriginT) -> OriginT:
    """Where a word was pushed: its origin without what the expanders added."""
    return origin & 0x0700_0000_FFFF_FFFF


@kernel
def mop_ordinal(origin: OriginT) -> OriginT:
    """Which word of a MOP's expansion it is, from 1, in 16 bits; 0 if no MOP made it."""
    return origin >> 32 & 0xFFFF


@kernel
def without_mop_step(origin: OriginT) -> OriginT:
    """The origin of all words of a MOP's expansion alike."""
    return origin & 0x073F_0000_FFFF_FFFF


@kernel
def slot_ordinal(origin: OriginT) -> OriginT:
    """1 + the replay slot that a word was played back from; 0 if it was not."""
    return origin >> 48 & 0x3F


@kernel
def by_expander(origin: OriginT) -> OriginT:
    """Not 0 if an expander made the word of what was pushed."""
    return origin & 0x3FFFFF << 32


@kernel
def without_slot(origin: OriginT) -> OriginT:
    """The origin before the word was played back."""
    return origin & 0x0700_FFFF_FFFF_FFFF


class Origin(NamedTuple):
    """An origin, unpacked; ``mop_step`` and ``replay_slot`` are None where they do not apply."""

    core: int
    pc: int
    mop_step: int | None
    replay_slot: int | None

    @property
    def core_name(self) -> str:
        """Who pushed the word."""
        return CORE_NAMES.get(self.core, f"core {self.core}")

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "core": self.core_name,
            "pc": self.pc,
            "mop_step": self.mop_step,
            "replay_slot": self.replay_slot,
        }


def unpack_origin(origin: int) -> Origin:
    """Unpack an origin."""
    step, slot = mop_ordinal(origin), slot_ordinal(origin)
    return Origin(
        pusher(origin),
        pushed_at(origin),
        step - 1 if step else None,
        slot - 1 if slot else None,
    )
