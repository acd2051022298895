"""What the documents say in Python, in tables and in diagrams, tried on the machine."""

import asyncio
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from documents import COMPUTE, EXPANDERS, MOPS, cut, document
from kernel_maker import Buffer, build_and_run, write_kernel
from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import build_kernel
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import load
from tilelab.tensix import Tile
from tilelab.tensix.chips.opcodes import MOP, MOP_CFG, MVMUL, NOP, REPLAY
from tilelab.tensix.frontend.expand_words import expand
from tilelab.tensix.ops import TT_OP_MOP, TT_OP_REPLAY
from tilelab.tensix.words.assembly import assemble

CHIPS = ("blackhole", "wormhole")


class Instruction(int):
    """A word with the names that the expander's page has for its parts."""

    Opcode = property(lambda self: self >> 24)
    MaskHi = property(lambda self: self & 0xFFFF)
    Template = property(lambda self: self >> 23 & 1)
    Count1 = property(lambda self: self >> 16 & 127)
    MaskLo = property(lambda self: self & 0xFFFF)
    Index = property(lambda self: self >> 14 & 31)
    Count = property(lambda self: self >> 4 & 63)
    Exec = property(lambda self: self >> 1 & 1)
    Load = property(lambda self: self & 1)


class EndOfStreamError(Exception):
    """Nothing more is pushed."""


async def all_of(words: Any) -> list[int]:
    out = []
    with suppress(EndOfStreamError):
        async for word in words:
            out.append(int(word))
    return out


@pytest.mark.parametrize("seed", range(20))
def test_the_expanders_page_runs(seed: int) -> None:
    """The page's own generator, run as printed, gives our expander's words."""
    listing = cut(MOPS, "async def MOPExpander", "  return Instruction.Opcode == NOP")
    rng = np.random.default_rng(seed)

    def one() -> int:
        return NOP << 24 if rng.random() < 0.4 else 0x10000000 | int(rng.integers(1 << 24))

    mop_cfg = [int(rng.integers(4)), int(rng.integers(4)), *(one() for _ in range(7))]
    mop_cfg[0] |= int(rng.integers(2)) << 7
    mops = [
        *(MOP_CFG << 24 | int(rng.integers(1 << 16)) for _ in range(2)),
        *(MOP << 24 | int(rng.integers(2)) << 23 | int(rng.integers(1 << 23)) for _ in range(4)),
    ]
    words = [one() if rng.random() < 0.3 else int(rng.choice(mops)) for _ in range(12)]
    left = iter(words)

    async def next_word() -> Instruction:
        for word in left:
            return Instruction(word)
        raise EndOfStreamError

    names: dict[str, Any] = {"NOP": NOP, "MOP": MOP, "MOP_CFG": MOP_CFG}
    names["GetNextIncomingInstruction"] = next_word
    exec(listing, names)
    printed = asyncio.run(all_of(names["MOPExpander"]([Instruction(word) for word in mop_cfg])))
    assert printed == expand(words, mop_cfg).tolist()


def random_program(seed: int) -> tuple[list[int], list[int]]:
    """MopCfg, and words with MOPs and REPLAYs among them."""
    rng = np.random.default_rng(seed)

    def replay() -> int:
        length = int(rng.integers(64))
        return REPLAY << 24 | int(rng.integers(32)) << 14 | length << 4 | int(rng.integers(4))

    def one() -> int:
        if rng.random() < 0.3:
            return NOP << 24
        return replay() & ~3 if rng.random() < 0.2 else 0x10000000 | int(rng.integers(1 << 24))

    mop_cfg = [int(rng.integers(4)), int(rng.integers(4)), *(one() for _ in range(7))]
    words = []
    for _ in range(12):
        kind = rng.integers(4)
        if kind == 0:
            words.append(MOP << 24 | int(rng.integers(1 << 24)))
        elif kind == 1:
            words.append(MOP_CFG << 24 | int(rng.integers(1 << 16)))
        elif kind == 2:
            word = replay()
            words.append(word)
            if word & 1:  # what is recorded follows
                words += [0x20000000 | int(rng.integers(1 << 24)) for _ in range(64)]
        else:
            words.append(one())
    return mop_cfg, words


@pytest.mark.parametrize("seed", range(20))
def test_both_expanders_as_printed(seed: int) -> None:
    """The first document's two generators, one behind the other, give our frontend's words."""
    mops = cut(EXPANDERS, "async def MOPExpander", "    return (Instruction >> 24) == 0x02")
    mops += cut(EXPANDERS, "async def ExpandTemplate0", "        Mask >>= 1")
    mops += cut(EXPANDERS, "async def ExpandTemplate1", "                yield EndOp1")
    replays = cut(EXPANDERS, "async def ReplayExpander", "                yield ReplayBuffer")
    mop_cfg, words = random_program(seed)

    def through(listing: str, name: str, source: list[int], *given: Any) -> list[int]:
        left = iter(source)

        async def next_word() -> Instruction:
            for word in left:
                return Instruction(word)
            raise EndOfStreamError

        names: dict[str, Any] = {"GetNextIncomingInstruction": next_word}
        exec(listing, names)
        return asyncio.run(all_of(names[name](*given)))

    expanded = through(mops, "MOPExpander", words, [Instruction(word) for word in mop_cfg])
    assert through(replays, "ReplayExpander", expanded) == expand(words, mop_cfg).tolist()


def test_encodings_and_mnemonics() -> None:
    """The table of encodings, and the lines of assembly, some of which are the same words."""
    rows = re.findall(r"^(0x\w{8})(MOP|REPLAY)\(([\d,]+)\)", document(EXPANDERS), re.M)
    assert len(rows) == 4
    encoded = set()
    for printed, name, operands in rows:
        macro = {"MOP": TT_OP_MOP, "REPLAY": TT_OP_REPLAY}[name]
        word = int(macro(*map(int, operands.split(","))))
        assert int(printed, 16) == (word << 2 | word >> 30) & 0xFFFFFFFF
        encoded.add(word)
    lines = cut(EXPANDERS, "ttmop      1,0,0", "ttreplay   0,5,0,0")
    words = [int(item) for item in assemble(lines, "blackhole", "printed").words(1)]
    assert len(words) == 5
    assert encoded <= set(words)
    assert words[1] == MOP_CFG << 24 | 0xABCD


def one_product(folder: Path, arch: str, **constants: int) -> None:
    """The matmul kernel as printed, for one tile by one."""
    rng = np.random.default_rng(7)
    a, b = rng.integers(-2, 3, (2, 32, 32)).astype(np.float32)
    listing = cut(COMPUTE, "#include <cstdint>", "}  // namespace NAMESPACE")
    given = {"num_tiles": 1, "Kt": 1, **constants}
    inputs, outputs = [Buffer(0, a), Buffer(1, b)], [Buffer(16, a @ b)]
    write_kernel(folder, listing, inputs, outputs, arch, given, 'math_fidelity = "LoFi"')


@pytest.mark.parametrize("arch", CHIPS)
def test_the_order_of_faces(arch: str, tmp_path: Path) -> None:
    """Each MVMUL's faces of SrcB and SrcA, read from the counters while the kernel runs."""
    diagram = cut(COMPUTE, "Face iteration for 32x32 tile matmul", "  B1*A2")
    printed = [
        (int(b), int(a))
        for b, a, times in re.findall(r"B(\d)\*A(\d) \((\d)x MVMUL\)", diagram)
        for _ in range(int(times))
    ]
    one_product(tmp_path, arch)
    build_kernel(read_kernel_file(tmp_path, elfs_exist=False), find_compiler())
    tile = Tile(arch, engine="reference")
    load(tile, read_kernel_file(tmp_path))
    found: list[tuple[int, int]] = []
    before = 0, 0, (0, 0)

    def look(tile: Tile) -> bool:
        nonlocal before
        frontend, counters = tile.state.s.frontend[1], tile.state.s.rwc[1]
        issued, word, faces = before
        if frontend.issued > issued and word >> 24 == MVMUL:
            found.append(faces)
        now = int(counters.src[1]) >> 4, int(counters.src[0]) >> 4
        before = int(frontend.issued), int(frontend.gate_word), now
        return len(found) == len(printed)

    tile.run(100_000, until=look)
    assert found == printed


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize("level", range(6))
def test_throttle_levels(level: int, arch: str, tmp_path: Path) -> None:
    """The printed kernel at each level: right, with the share of MVMULs that the table gives."""
    (share,) = re.findall(rf"^\| {level} \| (\d+)%", document(COMPUTE), re.M)
    one_product(tmp_path, arch, MM_THROTTLE=level)
    ran = build_and_run(tmp_path)
    assert ran.passed
    opcodes = [site.opcodes for site in ran.result.expansions.sites.values()]
    multiplies = sum(counts[MVMUL] for counts in opcodes)
    nops = sum(counts[NOP] for counts in opcodes if counts[MVMUL])
    assert multiplies == 16
    assert round(100 * multiplies / (multiplies + nops)) == int(share)
