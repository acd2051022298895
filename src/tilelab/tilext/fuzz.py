"""Random instances and word streams, and the round trips that must hold for each of them."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from tilelab.isa.multiword import MultiWord, Piece
from tilelab.sim.errors import TilelabError
from tilelab.tilext.assembler import Assembler
from tilelab.tilext.disassembler import Disassembler
from tilelab.tilext.profile import Profile


def random_values(rng: Random, profile: Profile, instruction: MultiWord) -> dict[str, int]:
    """Return random legal operands of an instruction."""
    values = {name: rng.getrandbits(1) for name in instruction.selectors}
    for name in instruction.active(values):
        if name in values:
            continue
        operand = instruction.operands[name]
        codes = profile.codes(instruction.name, name)
        if codes is not None and codes.closed:
            values[name] = rng.choice(list(codes.by_code))
            continue
        value = rng.getrandbits(operand.width) & operand.cover(values)
        if profile.forms[instruction.name].family == "tcsr" and name == "rd":
            value = rng.randint(1, 31)
        for piece in operand.pieces:
            value = _pinned(instruction, piece, value)
        values[name] = value
    return values


def _pinned(instruction: MultiWord, piece: Piece, value: int) -> int:
    """Return the value with the bits that a pattern such as 1xxxxx fixes."""
    word = instruction.word(piece.slot)
    mask = (word.mask & piece.field.mask) >> piece.field.lo << piece.low
    match = (word.match & piece.field.mask) >> piece.field.lo << piece.low
    return value & ~mask | match


class RoundTripError(TilelabError):
    """An instance did not come back as it went."""


@dataclass
class Tally:
    """How many instances of each instruction made the round trip, and how many were ambiguous."""

    instances: Counter[str] = field(default_factory=Counter)
    ambiguous: Counter[tuple[str, ...]] = field(default_factory=Counter)


def round_trips(
    profile: Profile, count: int, seed: int = 0, progress: Callable[[int], None] | None = None
) -> Tally:
    """Check ``count`` random instances, all instructions in turn; RoundTripError on a mismatch.

    Each instance is encoded and decoded, and its text is assembled and disassembled. Where several
    instructions fit the words, the original is among the candidates.
    """
    rng, tally = Random(seed), Tally()
    assembler, disassembler = Assembler(profile), Disassembler(profile)
    instructions = list(profile.instructions.values())
    for number in range(count):
        instruction = instructions[number % len(instructions)]
        values = random_values(rng, profile, instruction)
        words = assembler.encode(instruction.name, values)
        text = disassembler.syntax.write(instruction.name, values)
        item = disassembler.decode_at(words, 0)
        found = [(d.name, dict(d.values)) for d in item.candidates]
        if len(item.words) != len(words) or (instruction.name, values) not in found:
            raise RoundTripError(f"{text}: {words} decode to {item}")
        if assembler.line(text) != words:
            raise RoundTripError(f"{text}: assembles to {assembler.line(text)}, not {words}")
        if item.certain and disassembler.text(item) != text:
            raise RoundTripError(f"{text}: disassembles to {disassembler.text(item)}")
        tally.instances[instruction.name] += 1
        if not item.certain:
            tally.ambiguous[tuple(d.name for d in item.candidates)] += 1
        if progress is not None:
            progress(number)
    return tally
