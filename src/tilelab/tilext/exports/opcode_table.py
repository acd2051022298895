"""A C table of whole instructions, for binutils and for Spike.

``tilext-opc.h`` gives each instruction its words' masks and matches in issue order, its operands
and where their bits are, with a decoder of a few lines. ``tilext-spike.cc`` makes it an extension
of Spike: the first word of an instruction fetches the others, and what it does is left to fill in.
"""

from tilelab.tilext.exports.shapes import Shape, legal_codes, shapes
from tilelab.tilext.header import identifier
from tilelab.tilext.profile import Profile
from tilelab.tilext.templates import template


def opcode_table(profile: Profile) -> dict[str, str]:
    """Return the files by name."""
    every = sorted(shapes(profile), key=lambda s: s.mask.bit_count() - s.bits, reverse=True)
    table = template(
        "tilext-opc.h",
        profile=profile.name,
        operands=max(len(shape.operands) for shape in every),
        places=max(len(shape.places) for shape in every),
        rows="".join(_row(profile, shape) for shape in every),
    )
    return {"tilext-opc.h": table, "tilext-spike.cc": template("tilext-spike.cc")}


def _row(profile: Profile, shape: Shape) -> str:
    def words(value: int) -> str:
        return ", ".join(f"{value >> 32 * n & 0xFFFFFFFF:#010x}" for n in range(shape.words))

    operands = []
    for operand in shape.operands:
        codes = legal_codes(profile, shape, operand) or []
        legal = sum(1 << code for code in codes) if codes and max(codes) < 64 else 0
        pinned = shape.pinned.get(operand, 0)
        operands.append(f'{{"{identifier(operand)}", {legal:#x}u, {pinned:#x}}}')
    operands = operands or ['{"", 0u, 0}']
    places = [
        f"{{{shape.operands.index(p.operand)}, {p.at // 32}, {p.at % 32}, {p.width}, {p.low}}}"
        for p in shape.places
    ]
    return (
        f'  {{"{shape.instruction.name}", "{shape.name}", {shape.words}, {len(shape.operands)}, '
        f"{len(shape.places)},\n   {{{words(shape.mask)}}}, {{{words(shape.match)}}},\n"
        f"   {{{', '.join(operands)}}},\n   {{{', '.join(places) or '{0, 0, 0, 0, 0}'}}}}},\n"
    )
