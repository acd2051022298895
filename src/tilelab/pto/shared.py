"""What the cores of a cluster share: the architecture, flags, memories, rings and the journal."""

from collections.abc import Iterable
from typing import Any

from tilelab.pto.config import TileType
from tilelab.pto.errors import CapacityError, Finding, FlagOverflowError, PipeConfigError
from tilelab.pto.flags import FlagBank
from tilelab.pto.journal import Journal, Policy
from tilelab.pto.memory import LOCAL_BYTES, Memory
from tilelab.pto.paths import find_arch
from tilelab.pto.protocol import check_protocol
from tilelab.pto.ring import Ring
from tilelab.pto.trace import Record, Span


class Shared:
    """See ``Cluster``, which runs programs on it."""

    def __init__(
        self,
        arch: str,
        vec: int,
        protocol: str,
        flag_bits: int,
        policy: dict[str, Policy],
        gm_bytes: int,
        trace: bool,
        cycles: bool = False,
        slots: int | dict[int, int] | None = None,
    ) -> None:
        self.arch = find_arch(arch)
        if vec not in (1, 2):
            raise PipeConfigError(f"a cluster has 1 or 2 Vector cores, not {vec}")
        check_protocol(protocol)
        for name, value in (
            ("flag_bits", flag_bits),
            ("gm_bytes", gm_bytes),
            *(
                ("slots", one or 1)
                for one in (slots.values() if isinstance(slots, dict) else [slots])
            ),
        ):
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise PipeConfigError(f"{name} must be a whole number of at least 1, not {value!r}")
        if flag_bits > 64:
            raise PipeConfigError(f"a counter has at most 64 bits, not {flag_bits}")
        for one in policy.values():
            if one not in ("raise", "warn", "record"):
                raise PipeConfigError(f"no policy {one!r}; there are raise, warn, record")
        self.vec = vec
        self.protocol = protocol
        self.flag_bits = flag_bits
        self.slots = slots  # instead of what pipes declare: of all, or by flag
        self.moved: dict[tuple[Any, int], int] = {}  # where rings of that depth are in GM
        self.journal = Journal(policy, trace, cycles)
        self.flags = FlagBank(self.arch.reduces, vec, (1 << flag_bits) - 1, self.overflow)
        self.gm = Memory("GM", gm_bytes, gm_bytes)
        self.control = Memory("CTRL", 1 << 16, 1 << 16)
        self.core_names = ("cube", *(f"vec{lane}" for lane in range(vec)))
        self.rings: dict[tuple[Any, ...], list[Ring]] = {}
        # C++ kernels may call a pipe's own allocate(), record(), wait(), free().
        self.raw_on_pipes = False
        self.every_read = False  # no read of a tile goes by unseen: nothing but operations reads
        self._locals: dict[tuple[str, TileType], Memory] = {}

    def depth(self, flag: int) -> int | None:
        """How many slots the pipe of a flag has, if not as many as it declares."""
        return self.slots.get(flag) if isinstance(self.slots, dict) else self.slots

    @property
    def findings(self) -> list[Finding]:
        """What was found in this run."""
        return self.journal.findings

    @property
    def events(self) -> list[Record]:
        """What has happened in this run."""
        return self.journal.events

    def memory(self, core: str, loc: TileType) -> Memory:
        """A core's own memory."""
        found = self._locals.get((core, loc))
        if found is None:
            capacity = self.arch.capacity.get(loc.value, LOCAL_BYTES)
            found = self._locals[core, loc] = Memory(f"{core} {loc.value}", LOCAL_BYTES, capacity)
        return found

    def overflow(self, core: str, flag: int) -> None:
        """A counter passes its width (E14)."""
        text = (
            f"{core}'s counter of flag {flag} would pass {self.flags.limit}: its "
            f"{self.flag_bits} bits overflow{self.arch.counter_note}"
        )
        finding = Finding("E14", "flag-overflow", text, core, step=self.journal.step)
        self.journal.report("hazard", finding, FlagOverflowError)

    def check_capacity(
        self, core: str, memory: Memory, address: int, nbytes: int, what: str
    ) -> None:
        """Bytes outside what the hardware has (E6)."""
        if address + nbytes > memory.capacity:
            text = (
                f"{what} at {address:#x}..{address + nbytes:#x} is outside "
                f"the {memory.capacity // 1024} KiB of {memory.name}"
            )
            finding = Finding("E6", "capacity", text, core, step=self.journal.step)
            self.journal.report("capacity", finding, CapacityError)

    def memories(self) -> list[Memory]:
        """Every memory that something was put into, and those of the user's own arrays."""
        rings = [
            memory for rings in self.rings.values() for ring in rings for memory in ring.memories
        ]
        found = {one.where: one for one in (self.gm, self.control, *self._locals.values(), *rings)}
        return list(found.values())

    def spans(self, arrays: Iterable[Any]) -> tuple[Span, ...]:
        """Where arrays lie in the cluster's memories; those of NumPy's own lie nowhere."""
        memories = self.memories()
        found = ((memory, memory.span(array)) for array in arrays for memory in memories)
        return tuple((memory, rows) for memory, rows in found if rows is not None)
