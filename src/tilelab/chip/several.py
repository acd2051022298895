"""Several chips that are wired to each other by Ethernet: an array of whole chips.

A transfer over a link leaves its chip. In step with a host it is done at once, as in the vendor's
simulator, whose chips have their clocks one after the other. Chips that run ahead run side by side,
a slice of rounds each; what they have sent meanwhile arrives between two slices, in the order of
the chips and then of what each sent. So runs repeat exactly, whoever runs the chips.
"""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from tilelab.chip.chip import Chip, ReadHost, Send, WriteHost
from tilelab.chip.memory import Among
from tilelab.chip.memory import number as number_of
from tilelab.chip.problems import failed, sentence
from tilelab.chip.state import PROBLEM, SLICE
from tilelab.chip.waiting import Waiting, alike, waiting
from tilelab.sim.errors import BadInputError
from tilelab.sim.host import cores
from tilelab.tensix.arch import Arch
from tilelab.tensix.arch import arch as arch_named
from tilelab.tensix.report.explain import told
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.tile.tile import Tile

Link = tuple[int, int, int, int]
"""Two chips that are wired: a chip, its Ethernet tile by number, and the same of the other."""
Transfer = tuple[int, int, bytes]
"""What leaves a chip: its Ethernet tile, an address at the peer, and the bytes."""
Arrival = tuple[int, int, bytes]
"""The same where it arrives: the peer's Ethernet tile, the address there, and the bytes."""
MOST_CHIPS = 32
QUIET = 2
"""Slices without anything but polling after which a host has its turn."""


class Chips:
    """Chips of one kind behind one host; each one's parameters are as :class:`Chip` says.

    ``count``: how many. ``wiring``: their links, as many as there are: chip, Ethernet tile, chip,
    Ethernet tile; by default those of the vendor's boards, or a grid. BadInputError for a wiring
    that names what is not there, or a tile twice.
    """

    def __init__(
        self,
        arch: str = "blackhole",
        count: int = 2,
        wiring: Iterable[Link] | None = None,
        tiles: Sequence[Place] | None = None,
        engine: str = "fast",
        delivery: str = "prompt",
        in_step: bool = False,
        clock: str = "functional",
        junk: int | None = None,
    ) -> None:
        made = members(arch_named(arch), count, wiring)
        self._take(
            [Chip(arch, tiles, engine, delivery, in_step, clock, junk, among) for among in made],
            made,
        )

    def _take(self, chips: Sequence[Chip], members: Sequence[Among | None]) -> None:
        self.chips, self.members = tuple(chips), tuple(members)
        self.arch, self.in_step = chips[0].arch, bool(chips[0].c.in_step)
        self.threads = cores()
        """On how many processors chips that run ahead run, at most."""
        self._sent: list[list[Transfer]] = [[] for _ in self.chips]
        for number, chip in enumerate(self.chips):
            if self.members[number]:
                chip.send = self._at_once(number) if chip.c.in_step else self._later(number)

    @classmethod
    def alone(cls, chip: Chip) -> "Chips":
        """A chip that has been made, by itself."""
        made = cls.__new__(cls)
        made._take([chip], [None])
        return made

    def _at_once(self, number: int) -> Send:
        return lambda tile, address, data: self._arrive(number, tile, address, data)

    def _later(self, number: int) -> Send:
        return lambda tile, address, data: self._sent[number].append((tile, address, data))

    def _arrive(self, number: int, tile: int, address: int, data: bytes) -> None:
        """Put what a chip sent where it goes."""
        among = self.members[number]
        assert among
        peer, there = among.links[tile]
        put_down(self.chips[peer.number], (there, address, data), (number, tile))

    def host_memory(self, read: ReadHost, write: WriteHost) -> None:
        """Say who reads and writes the host's memory for all chips, for one at a time."""
        one = Lock()

        def reads(address: int, count: int) -> bytes:
            with one:
                return read(address, count)

        def writes(address: int, data: bytes) -> None:
            with one:
                write(address, data)

        for chip in self.chips:
            chip.read_host, chip.write_host = reads, writes

    def both_ways(self, value: bool) -> None:
        """Whether programs may name tiles on NoC 1 by physical coordinates of NoC 0."""
        for chip in self.chips:
            chip.c.both_ways = value

    @property
    def asleep(self) -> bool:
        """Whether nothing can change any more without the host."""
        return all(chip.asleep for chip in self.chips)

    @property
    def time(self) -> int:
        """Rounds that have passed at the chip that has run longest."""
        return max(chip.time for chip in self.chips)

    @property
    def requests(self) -> int:
        """NoC requests and transfers over links that have been carried out."""
        return sum(chip.requests for chip in self.chips)

    @property
    def running(self) -> list[tuple[str, Tile]]:
        """What has cores that run, and its name."""
        return [one for chip in self.chips for one in chip.running]

    @property
    def works(self) -> bool:
        """Whether any Tensix tile has anything to do."""
        return any(works(chip) for chip in self.chips)

    @property
    def tiles(self) -> int:
        """Tensix tiles of all chips."""
        return sum(len(chip.tiles) for chip in self.chips)

    def who_waits(self) -> list[str]:
        """Who waits for what, of all chips, as :func:`tilelab.chip.waiting.who_waits`."""
        return alike(self._waiting())

    def _waiting(self) -> Waiting:
        return waiting(self.running)

    def clock(self) -> None:
        """Let chips in step do what one clock of their host is worth; errors as :class:`Chip`."""
        for chip in self.chips:
            chip.clock()

    def run(self, rounds: int, quiet: int = 0) -> bool:
        """Run every chip by at most so many rounds; True as soon as :attr:`asleep`.

        ``quiet``: end also after so many slices in which no Tensix tile had anything to do and no
        tile asked for anything. Routers poll, and count how often: they never rest.
        """
        if len(self.chips) == 1:
            return self.chips[0].run(rounds)
        end = self.time + rounds
        still = 0
        with ThreadPoolExecutor(self.threads) as pool:  # its threads begin when they have work
            while not self.asleep and self.time < end and not 0 < quiet <= still:
                before = self.requests
                self._run_slice(min(SLICE, end - self.time), pool)
                still = 0 if self.works or self.requests != before else still + 1
                self.meet()
        return self.asleep

    def _run_slice(self, rounds: int, pool: ThreadPoolExecutor) -> None:
        """Run every chip that does not sleep; an error of several is that of the first.

        Compiled kernels hold no lock of Python's, so chips run side by side.
        """
        awake = [chip for chip in self.chips if not chip.asleep]
        if len(awake) == 1 or awake[0].engine != "fast" or self.threads == 1:
            for chip in awake:
                chip.run(rounds)
            return
        for done in [pool.submit(chip.run, rounds) for chip in awake]:
            done.result()

    def meet(self) -> None:
        """Between two slices: what was sent arrives, and all have the same time."""
        now = self.time
        for chip in self.chips:
            chip.c.time = now
        for number, sent in enumerate(self._sent):
            for tile, address, data in sent:
                self._arrive(number, tile, address, data)
            sent.clear()


def works(chip: Chip) -> bool:
    """Whether any Tensix tile of a chip has anything to do."""
    return bool(chip.memory.record["is_awake"][: len(chip.tiles)].any())


def put_down(chip: Chip, arrival: Arrival, sender: tuple[int, int]) -> None:
    """Write what has come over a link; an error names its sender, a chip and an Ethernet tile."""
    tile, address, data = arrival
    places = chip.arch.layout.ethernet.places
    for at, size in chip.staged(address, data):
        if chip.call("write_place", number_of(places[tile]), at, size) == PROBLEM:
            number, out = sender
            (x, y), (to_x, to_y) = places[out], places[tile]
            own = chip.number
            lines = [f"asked  a transfer of {len(data)} bytes to {address:#x}",
                     f"to     chip {own}, Ethernet tile {to_x},{to_y}"]  # fmt: skip
            who = f"chip {number}, Ethernet tile {x},{y}"
            raise told(failed(chip.c), sentence(chip.c), who, lines)


def members(arch: Arch, count: int, wiring: Iterable[Link] | None) -> tuple[Among | None, ...]:
    """What each of so many chips is; None for a single one. Errors as :class:`Chips`."""
    if count == 1 and wiring is None:
        return (None,)
    several = arch.layout.several
    if several is None:
        raise BadInputError(f"several chips are modelled for blackhole, not for {arch.name}")
    if not 1 <= count <= MOST_CHIPS:
        raise BadInputError(f"{count} chips: 1 to {MOST_CHIPS} are possible")
    if wiring is None:
        wiring = several.wiring(count)
    known = [several.member(number, count) for number in range(count)]
    made = [Among(member) for member in known]
    tiles = len(arch.layout.ethernet.places)
    for link in wiring:
        ends = (link[:2], link[2:])
        for chip, tile in ends:
            if not (0 <= chip < count and 0 <= tile < tiles):
                raise BadInputError(f"link {link}: there is no Ethernet tile {tile} of chip {chip}")
            if tile in made[chip].links:
                raise BadInputError(f"link {link}: tile {tile} of chip {chip} has one already")
        for (chip, tile), (peer, there) in (ends, ends[::-1]):
            made[chip].links[tile] = (known[peer], there)
    return tuple(made)
