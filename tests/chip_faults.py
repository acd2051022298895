"""Faulty programs of a chip's tiles and their healthy twins, as recordings of a host's traffic."""

from collections.abc import Sequence
from dataclasses import dataclass

from chip_program import (
    ATOMIC,
    BRISC,
    BROADCAST,
    DRAM,
    INCREMENT,
    PLACES,
    READ,
    RESULT,
    WRITE,
    at,
    counter,
    request,
    wait_register,
)
from chip_traffic import DONE, SOURCE, SUM, started, words
from riscv_program import HALT, RESET_PC, T0, T1, T2, bne, li, load, lw, store, sw
from tilelab.tensix.arch import arch
from tilelab.tensix.noc import niu as n
from tilelab.tensix.tables.noc_registers import STREAM_BYTES
from tilelab.tensix.tables.tile_registers import STREAMS

TRISC0 = 0
FENCE = 0x0F
SOURCE_HERE = 0x6040
"""Where a tile has data of its own."""
HERE, THERE = 0x4040, 0x5040
"""Where reads bring data."""
FLAG = 0x7100
NOWHERE = 0x9000
"""What nobody writes."""
BYTES = 64
STREAM = 5


def brought(chip: str, to: int = HERE, tag: int = 0) -> list[int]:
    """Ask for bytes of DRAM."""
    own, dram = at(PLACES[chip][0]), at(DRAM[chip])
    return request(arch(chip), READ, (SOURCE, dram), (to, own), BYTES, tag=tag << 10)


def taken(chip: str) -> list[int]:
    """Have them written to DRAM."""
    own, dram = at(PLACES[chip][0]), at(DRAM[chip])
    return request(arch(chip), WRITE, (HERE, own), (SUM, dram), BYTES)


def copied(start: int, end: int = RESULT) -> list[int]:
    """Copy a word of L1."""
    return [*li(T0, start), lw(T1, T0), *li(T0, end), sw(T1, T0)]


def polled(address: int, value: int) -> list[int]:
    """Wait for a word of L1, which the core's cache must not hold."""
    return [*li(T0, address), *li(T1, value), FENCE, lw(T2, T0), bne(T2, T1, -2)]


def barrier(counted: int) -> list[int]:
    return wait_register(counter(0, counted), 1)


def pages(chip: str) -> tuple[int, int]:
    """Where c_5 counts pages received and freed, as the vendor's kernels do."""
    stream = STREAMS + STREAM * STREAM_BYTES
    return stream + arch(chip).noc.stream_size, stream + arch(chip).noc.stream_start


@dataclass(frozen=True)
class Case:
    """What cores run; ``check`` is what the checker says, "" if nothing."""

    check: str
    other: str
    brisc: list[int]
    trisc0: Sequence[int] = ()


def cases(chip: str) -> dict[str, tuple[Case, Case]]:
    """Faulty programs, each with its twin."""
    reads, writes = barrier(n.READ_RESPONSES), barrier(n.WRITE_ACKS)
    received, freed = pages(chip)
    set_up = [*store(received, 0), *store(freed, 0)]
    two = [*brought(chip, HERE, 1), *brought(chip, THERE, 2)]
    first = wait_register(counter(0, n.OUTSTANDING + 1), 0)
    second = wait_register(counter(0, n.OUTSTANDING + 2), 0)
    flag = [*set_up, *store(received, 1), *store(FLAG, 1)]
    waited = polled(FLAG, 1)
    front = wait_register(received, 1)
    late, early = "noc-read-unwaited", "noc-write-unflushed"
    return {
        "a read without its barrier": (
            Case(late, "NoC 0 read", [*brought(chip), *copied(HERE), *reads]),
            Case("", "", [*brought(chip), *reads, *copied(HERE)]),
        ),
        "a write of what a read has yet to bring": (
            Case(late, "NoC 0 read", [*brought(chip), *taken(chip), *reads, *writes]),
            Case("", "", [*brought(chip), *reads, *taken(chip), *writes]),
        ),
        "the source of a write is written to": (
            Case(early, "NoC 0 write", [*brought(chip), *reads, *taken(chip), *store(HERE, 7)]),
            Case("", "", [*brought(chip), *reads, *taken(chip), *writes, *store(HERE, 7)]),
        ),
        "a barrier for another transaction id": (
            Case(late, "NoC 0 read", [*two, *first, *copied(THERE), *second]),
            Case("", "", [*two, *first, *copied(HERE), *second]),
        ),
        "a page is pushed before it has come": (
            Case(
                late, "NoC 0 read",
                [*set_up, *brought(chip), *store(received, 1), *reads], [*front, *copied(HERE)],
            ),
            Case(
                "", "",
                [*set_up, *brought(chip), *reads, *store(received, 1)], [*front, *copied(HERE)],
            ),
        ),
        "a page is freed that was not waited for": (
            Case("cb-pop-unwaited", "BRISC", flag, [*waited, *store(freed, 1)]),
            Case("", "", flag, [*waited, *front, *store(freed, 1)]),
        ),
        "two cores push": (
            Case("cb-two-owners", "BRISC", flag, [*waited, *store(received, 2)]),
            Case("", "", flag, [*waited, *front, *store(freed, 1)]),
        ),
    }  # fmt: skip


def text_of(chip: str, case: Case, tiles: int = 1) -> str:
    """The recording of a case; the host polls BRISC's last word, and TRISC0's."""
    (dx, dy) = DRAM[chip]
    programs = [(RESET_PC[BRISC], [*case.brisc, *store(DONE, 1), HALT])]
    programs.append((RESET_PC[TRISC0], [*case.trisc0, *store(DONE + 16, 1), HALT]))
    before = [f"W {dx} {dy} {SOURCE:x} {words(range(BYTES // 4))}"]
    after = [
        f"P {x} {y} {DONE + 16 * core:x} {words([1])}"
        for x, y in PLACES[chip][:tiles]
        for core in (0, 1)
    ]
    return started(chip, programs, before, after, (BRISC, TRISC0), tiles)


def told(
    chip: str,
    credit: int,
    niu: int = 0,
    waits: bool = False,
    atomics: bool = True,
    multicast: bool = False,
    reuses: bool = False,
    posted: bool = False,
) -> str:
    """A tile writes to its neighbour and increments a word there; that one sends on what it got.

    ``credit``: NOC_CTRL of the increment; ``waits`` for the write's acknowledgement before it,
    and not only behind it; ``atomics``: in the end waits for the increment's answer, too;
    ``multicast``: the write goes to a rectangle, of that one tile; ``reuses`` its source at once;
    ``posted``: the write has no acknowledgement, so that it is only known to have left.
    """
    (here, there, _), made = PLACES[chip], arch(chip)
    counter_of = n.POSTED_WRITES_SENT if posted else n.WRITE_ACKS
    counted = barrier(counter_of) if waits else []
    control, to = (WRITE | BROADCAST, at(there, there)) if multicast else (WRITE, at(there))
    data = request(
        made,
        control & ~n.RESPONSE if posted else control,
        (SOURCE_HERE, at(here)),
        (HERE, to),
        BYTES,
    )
    data += store(SOURCE_HERE, 9) if reuses else []
    raised = request(made, credit, (FLAG, at(there)), (RESULT, at(here)), INCREMENT, 1, niu)
    ends = [*store(DONE, 1), HALT]
    last = barrier(counter_of)
    last += wait_register(counter(niu, n.ATOMIC_RESPONSES), 1) if atomics else []
    gives = [*store(SOURCE_HERE, 7), *load(T1, SOURCE_HERE), *data, *counted, *raised, *last, *ends]
    dram = at(DRAM[chip])
    sends = request(made, WRITE, (HERE, at(there)), (SUM, dram), BYTES)
    takes = [*polled(FLAG, 1), *sends, *barrier(n.WRITE_ACKS), *ends]
    (hx, hy), (tx, ty) = here, there
    before = [
        f"W {tx} {ty} {RESET_PC[BRISC]:x} {words(takes)}",
        f"W {tx} {ty} {FLAG:x} {words([0] * 4)}",
        f"W {hx} {hy} {SOURCE_HERE:x} {words(range(BYTES // 4))}",
    ]
    after = [f"P {x} {y} {DONE:x} {words([1])}" for x, y in (here, there)]
    return started(chip, [(RESET_PC[BRISC], gives)], before, after, (BRISC,), tiles=2)


def counted(chip: str, waits: bool) -> str:
    """A tile increments a neighbour's word, and uses the old value, which comes back."""
    (here, there, _), made = PLACES[chip], arch(chip)
    asks = request(made, ATOMIC, (FLAG, at(there)), (THERE, at(here)), INCREMENT, 1)
    answer, use = wait_register(counter(0, n.ATOMIC_RESPONSES), 1), [FENCE, *copied(THERE)]
    ends = [*store(DONE, 1), HALT]
    gives = [*asks, *(answer + use if waits else use + answer), *ends]
    (hx, hy), (tx, ty) = here, there
    before = [
        f"W {tx} {ty} {RESET_PC[BRISC]:x} {words(ends)}",
        f"W {tx} {ty} {FLAG:x} {words([0] * 4)}",
        f"W {hx} {hy} {THERE:x} {words([9] * 4)}",
    ]
    after = [f"P {hx} {hy} {DONE:x} {words([1])}"]
    return started(chip, [(RESET_PC[BRISC], gives)], before, after, (BRISC,), tiles=2)


OTHER_CHANNEL = ATOMIC ^ 1 << 14
"""An increment on another static virtual channel."""


def fetched(chip: str, waits: bool, own: bool) -> str:
    """A tile tells a third one of data, which fetches them: from a second tile, or its ``own``.

    ``waits``: until the data have come where they are fetched from, before it tells, and not only
    behind it. Its own data are those that it reads from DRAM.
    """
    (here, there, third), made = PLACES[chip], arch(chip)
    dram = at(DRAM[chip])
    if own:
        brings = request(made, READ, (SOURCE, dram), (HERE, at(here)), BYTES)
        come = barrier(n.READ_RESPONSES)
    else:
        brings = request(made, WRITE, (SOURCE_HERE, at(here)), (HERE, at(there)), BYTES)
        come = barrier(n.WRITE_ACKS)
    tells = request(made, ATOMIC, (FLAG, at(third)), (RESULT, at(here)), INCREMENT, 1)
    ends = [*store(DONE, 1), HALT]
    last = [*come, *wait_register(counter(0, n.ATOMIC_RESPONSES), 1), *ends]
    gives = [*brings, *(come if waits else []), *tells, *last]
    source = HERE, at(here if own else there)
    takes = [
        *polled(FLAG, 1),
        *request(made, READ, source, (HERE, at(third)), BYTES),
        *barrier(n.READ_RESPONSES),
        *ends,
    ]
    (hx, hy), (tx, ty), (ux, uy) = here, there, third
    (dx, dy) = DRAM[chip]
    before = [
        f"W {tx} {ty} {RESET_PC[BRISC]:x} {words(ends)}",
        f"W {ux} {uy} {RESET_PC[BRISC]:x} {words(takes)}",
        f"W {ux} {uy} {FLAG:x} {words([0] * 4)}",
        f"W {hx} {hy} {SOURCE_HERE:x} {words(range(BYTES // 4))}",
        f"W {dx} {dy} {SOURCE:x} {words(range(BYTES // 4))}",
    ]
    after = [f"P {x} {y} {DONE:x} {words([1])}" for x, y in PLACES[chip]]
    return started(chip, [(RESET_PC[BRISC], gives)], before, after, (BRISC,), tiles=3)
