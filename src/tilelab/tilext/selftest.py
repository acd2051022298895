"""Self-checking tests of the Tile Extension: programs that know what they must leave in memory.

Each program fills memory by a rule, runs tile instructions with chosen and boundary operands,
stores what they made, and compares a checksum of that with the one that the model left. It exits
with 0, else with 1. ``machine.toml`` states the chip that they are for. Anything that runs RV64IM
with the Tile Extension can run them.

Not covered: what the document leaves to the chip or to another thread: TALU, atomics, Tensor Async
Copy, CSRs, t_sync; MMA is the one that the machine file states.
"""

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tilelab.sim.errors import TilelabError
from tilelab.tilext.profile import load_profile
from tilelab.tilext.program import Machine, Run, load_program, machine_of
from tilelab.tilext.templates import template

TILE, TILES, VLEN = 128, 32, 256  # bytes, registers, bits
PATTERN, SPARE, RESULT = 0x8000, 0xA000, 0xC000  # of global memory
FILLED = 16 * TILE
SHARE = 0x1000
INDICES = (7, 0, 30, 3, 12, 1, 31, 9)
FACTOR, START = 0x5DEECE66D, 0xB
MASK = (1 << 64) - 1

MACHINE = template("machine.toml", tile=TILE, tiles=TILES, vlen=VLEN, indices=list(INDICES))


@dataclass
class Test:
    """A program, which instructions it tests, and which boundaries of them."""

    name: str
    text: str
    covers: tuple[tuple[str, str], ...]


@dataclass
class Suite:
    """The tests, and how often each instruction and boundary is covered."""

    tests: list[Test] = field(default_factory=list)
    coverage: Counter[tuple[str, str]] = field(default_factory=Counter)

    def table(self) -> str:
        """Instruction, boundary and number of tests, separated by tabs."""
        rows = (f"{name}\t{what}\t{count}" for (name, what), count in sorted(self.coverage.items()))
        return "\n".join(("instruction\tboundary\ttests", *rows)) + "\n"


Body = tuple[list[str], list[tuple[str, str]], int]
"""Lines between filling and checking, what they cover, and how many bytes at RESULT they leave."""


def generate(count: int, seed: int = 0) -> Suite:
    """So many tests, all families in turn; what the model refuses is drawn again."""
    rng, suite = Random(seed), Suite()
    machine = the_machine()
    while len(suite.tests) < count:
        family = FAMILIES[len(suite.tests) % len(FAMILIES)]
        for _ in range(100):
            lines, covers, nbytes = family(rng)
            checksum = _expected(machine, lines, nbytes)
            if checksum is not None:
                break
        else:
            raise TilelabError(f"{family.__name__}: the model refuses a hundred tests in turn")
        name = f"t{len(suite.tests):05}"
        said = f"# {name}: {', '.join(sorted({one for one, _ in covers}))}\n"
        suite.tests.append(Test(name, said + _program(lines, nbytes, checksum), tuple(covers)))
        suite.coverage.update(covers)
    return suite


def the_machine() -> Machine:
    """What ``machine.toml`` states."""
    return machine_of(tomllib.loads(MACHINE), Path("machine.toml"))


def run(machine: Machine, text: str) -> Run:
    """A program that has run on a machine; TilelabError where it cannot."""
    done = Run(machine, load_program(text.encode(), "test", machine.profile))
    done.run(200_000)
    return done


def passes(test: Test, machine: Machine | None = None) -> bool:
    """Whether a test ends with 0 on the model."""
    try:
        return run(machine or the_machine(), test.text).harts[0].status == 0
    except TilelabError:
        return False


def _expected(machine: Machine, lines: list[str], nbytes: int) -> int | None:
    try:
        done = run(machine, _program(lines, nbytes, None))
    except TilelabError:
        return None
    memory = done.cores[0].memory["global"]
    words = memory[RESULT : RESULT + nbytes].view("<u4")
    total = START
    for word in words:
        total = (total * 31 + int(word)) & MASK
    return total


def _program(lines: list[str], nbytes: int, checksum: int | None) -> str:
    """Fill, run, and check; without a checksum it ends well whatever it left."""
    fill = [
        f"    li a0, {PATTERN}", f"    li t0, {FILLED // 8}", f"    li t1, {START}",
        f"    li t2, {FACTOR}", "1:  mul t1, t1, t2", "    addi t1, t1, 11", "    sd t1, 0(a0)",
        "    addi a0, a0, 8", "    addi t0, t0, -1", "    bnez t0, 1b",
    ]  # fmt: skip
    check = [
        f"    li a0, {RESULT}", f"    li t0, {nbytes // 4}", f"    li t1, {START}", "    li t3, 31",
        "2:  lwu t2, 0(a0)", "    mul t1, t1, t3", "    add t1, t1, t2", "    addi a0, a0, 4",
        "    addi t0, t0, -1", "    bnez t0, 2b", f"    li t2, {checksum or 0}",
        "    sub a0, t1, t2", "    snez a0, a0",
    ]  # fmt: skip
    end = ["    li a7, 93", *(["    li a0, 0"] if checksum is None else []), "    ecall"]
    body = [f"    {line}" for line in lines]
    return "\n".join(["start:", *fill, *body, *(check if checksum is not None else []), *end, ""])


# -- families: each draws operands, and names the boundaries that it hits


def _tile(rng: Random, registers: int) -> tuple[int, str]:
    """The first of so many registers, at an end of the file half of the time."""
    last = TILES - registers
    number = rng.choice((0, last, rng.randint(0, last), rng.randint(0, last)))
    where = "first register" if not number else "last register" if number == last else "register"
    return number, where


def _size(rng: Random) -> int:
    return rng.choice((1, 2, 4, 8))


def _offset(rng: Random, base: int, register: str, other: str) -> tuple[list[str], str]:
    """Lines that put an address into a register, or a part of it into another that is added."""
    part = rng.choice((0, 8, 64, 1 << 12))
    if rng.random() < 0.5:
        return [f"li {register}, {base}"], ""
    return [f"li {register}, {base - part}", f"li {other}, {part}"], f", offset={other}"


def _out(number: int, registers: int) -> list[str]:
    """Store registers where the check looks."""
    return [f"li a6, {RESULT}", f"tgst.unit tr{number}, (a6), tilesize={registers}", "t_wait.all"]


def unit(rng: Random) -> Body:
    """Load by one memory, store to it, load and look: unit stride, with and without an offset."""
    registers = _size(rng)
    number, where = _tile(rng, registers)
    other, there = _tile(rng, registers)
    room = FILLED - registers * TILE
    offset = rng.choice((0, room, 8 * rng.randint(0, room // 8)))
    space = rng.choice("gs")
    by = rng.choice(("offset=a1, ", ""))
    lines = [f"li a0, {PATTERN + (0 if by else offset)}", f"li a1, {offset}"]
    lines += [f"tgld.unit tr{number}, (a0), {by}tilesize={registers}", "t_wait.all"]
    at = SPARE if space == "g" else rng.choice((0, SHARE, (1 << 18) - registers * TILE))
    set_up, plus = _offset(rng, at, "a2", "a7")
    lines += [*set_up, f"t{space}st.unit tr{number}, (a2){plus}, tilesize={registers}"]
    set_up, plus = _offset(rng, at, "a4", "a5")
    lines += [*set_up, "t_wait.all"]
    lines += [f"t{space}ld.unit tr{other}, (a4){plus}, tilesize={registers}", "t_wait.all"]
    covers = [
        ("tgld.unit", where), ("tgld.unit", "offset" if by else "no offset"),
        ("tgld.unit", "end of the data" if offset == room else "inside"),
        (f"t{space}st.unit", f"tilesize {registers}"), (f"t{space}ld.unit", there),
        (f"t{space}ld.unit", "first byte" if not at else "other byte"),
        ("tgst.unit", f"tilesize {registers}"), ("t_wait.all", "loads and stores"),
    ]  # fmt: skip
    return lines + _out(other, registers), covers, registers * TILE


def stride(rng: Random) -> Body:
    """Grains that are a stride apart: forwards, backwards, the same one, side by side."""
    registers = rng.choice((1, 2))
    grains = registers * TILE // 32
    step = rng.choice((1, 2, 7, -1, -3, 0))
    number, where = _tile(rng, registers)
    space = rng.choice("gs")
    base = PATTERN + (0 if step >= 0 else (grains - 1) * 32 * -step)
    lines, by = _offset(rng, base, "a0", "a6")
    lines += [f"li a1, {step}", f"tgld.stride tr{number}, (a0), a1{by}, tilesize={registers}"]
    lines += ["t_wait.all"]
    kind = {0: "stride 0", 1: "stride 1"}.get(step, "stride" if step > 0 else "negative stride")
    covers = [("tgld.stride", where), ("tgld.stride", kind)]
    apart = rng.choice((1, 2, 5, -2))
    start = (SPARE if space == "g" else SHARE) + (0 if apart > 0 else (grains - 1) * 32 * -apart)
    set_up, by = _offset(rng, start, "a2", "a7")
    lines += [*set_up, f"li a3, {apart}"]
    lines += [f"t{space}st.stride tr{number}, (a2), a3{by}, tilesize={registers}", "t_wait.all"]
    back, there = _tile(rng, registers)
    set_up, by = _offset(rng, start, "a4", "a5")
    lines += [*set_up, f"t{space}ld.stride tr{back}, (a4), a3{by}, tilesize={registers}"]
    lines += ["t_wait.all"]
    covers += [
        (f"t{space}st.stride", "stride" if apart > 0 else "negative stride"),
        (f"t{space}ld.stride", there),
    ]
    return lines + _out(back, registers), covers, registers * TILE


def index(rng: Random) -> Body:
    """Grains that a vector's elements name: as bytes, halves and words."""
    registers = rng.choice((1, 2))
    number, where = _tile(rng, registers)
    code = rng.choice(("e32", "e16", "e8"))
    space = rng.choice("gs")
    shape = f"tilesize={registers}"
    lines, by = _offset(rng, PATTERN, "a0", "a6")
    lines += [f"tgld.index tr{number}, (a0), v4, func6={code}{by}, {shape}", "t_wait.all"]
    at = SPARE if space == "g" else SHARE
    set_up, by = _offset(rng, at, "a2", "a7")
    lines += [*set_up, f"t{space}st.index tr{number}, (a2), v4, func6=e32{by}, {shape}"]
    lines += ["t_wait.all"]
    other, there = _tile(rng, registers)
    set_up, by = _offset(rng, at, "a4", "a5")
    lines += [*set_up, f"t{space}ld.index tr{other}, (a4), v4, func6=e32{by}, {shape}"]
    lines += ["t_wait.all"]
    covers = [
        ("tgld.index", where), ("tgld.index", f"indices as {code}"),
        (f"t{space}st.index", "indices up to 31"), (f"t{space}ld.index", there),
    ]  # fmt: skip
    return lines + _out(other, registers), covers, registers * TILE


def scalar(rng: Random) -> Body:
    """An integer or a float to a tile register, one element or all, and back."""
    number, where = _tile(rng, 1)
    value = rng.choice((0, 1, -1, MASK >> 1, 1 << 63, rng.getrandbits(64)))
    bits = rng.choice((8, 16, 32, 64))
    spread = rng.choice(("", ", bc"))
    lines = [f"li a0, {PATTERN}", f"tgld.unit tr{number}, (a0), tilesize=1", "t_wait.all"]
    store = rng.choice(_codes("tmv.t.x", bits))
    lines += [f"li a3, {value}", f"tmv.t.x tr{number}, a3, func6={store}{spread}"]
    load = rng.choice(_codes("tmv.x.t", rng.choice((8, 16, 32, 64))))
    lines += [f"tmv.x.t a4, tr{number}, func6={load}", f"li a5, {RESULT + TILE}", "sd a4, 0(a5)"]
    kind = "0" if not value else "sign bit" if value >> 63 & 1 else "positive"
    covers = [
        ("tmv.t.x", where), ("tmv.t.x", f"{bits} bits"), ("tmv.t.x", "bc" if spread else "one"),
        ("tmv.x.t", load), ("tmv.x.t", kind),
    ]  # fmt: skip
    return lines + _out(number, 1), covers, TILE + 8


def _codes(name: str, bits: int) -> list[str]:
    """Names of func6 that move so many bits, unmasked."""
    rows = load_profile().func6(name).values()
    return [row.name for row in rows if row.bits == bits and not row.masked]


def vector(rng: Random) -> Body:
    """A vector register to a tile register, once or repeated, and back into another."""
    number, where = _tile(rng, 1)
    source = rng.choice((4, 5))
    spread = rng.choice(("", ", bc"))
    code = rng.choice(("e8", "e16", "e32", "e64"))
    lines = [f"li a0, {PATTERN}", f"tgld.unit tr{number}, (a0), tilesize=1", "t_wait.all"]
    into, back = (rng.choice(_codes(name, int(code[1:]))) for name in ("tmv.t.v", "tmv.v.t"))
    lines += [f"tmv.t.v tr{number}, v{source}, func6={into}{spread}"]
    other, there = _tile(rng, 1)
    lines += [f"tmv.v.t v9, tr{number}, func6={back}"]
    lines += [f"tmv.t.v tr{other}, v9, func6={into}, bc"] if other != number else []
    covers = [
        ("tmv.t.v", where), ("tmv.t.v", code), ("tmv.t.v", "bc" if spread else "one"),
        ("tmv.v.t", code), ("tmv.v.t", there),
    ]  # fmt: skip
    return lines + _out(other, 1), covers, TILE


def product(rng: Random) -> Body:
    """A matrix product of the machine's own, with and without its flags."""
    names = [name for name in ("neg1", "negd", "transmata", "transmatb") if rng.random() < 0.5]
    a, b, d = rng.sample(range(TILES), 3)
    if rng.random() < 0.25:
        d = rng.choice((0, TILES - 1))
    lines = [f"li a0, {PATTERN}"]
    for number, place in ((a, 0), (b, 1), (d, 2)):
        lines += [f"addi a1, a0, {TILE * place}", f"tgld.unit tr{number}, (a1), tilesize=1"]
        lines += ["t_wait.all"]
    flags = "".join(f", {name}" for name in names)
    wait = rng.choice(("t_wait.mma", "t_wait.all"))
    lines += [f"mma.tt tr{d}, tr{a}, tr{b}, mmauop=5, tilesize=1{flags}", wait]
    edge = "first register" if not d else "last register" if d == TILES - 1 else "register"
    covers = [("mma.tt", edge), (wait, "a product")]
    covers += [("mma.tt", name) for name in names] or [("mma.tt", "no flag")]
    return lines + _out(d, 1), covers, TILE


FAMILIES: tuple[Callable[[Random], Body], ...] = (unit, stride, index, scalar, vector, product)


def files(suite: Suite) -> Iterator[tuple[str, str]]:
    """Names and texts of a suite: its machine, its tests, its coverage."""
    yield "machine.toml", MACHINE
    yield "coverage.tsv", suite.table()
    for test in suite.tests:
        yield f"{test.name}.s", test.text
