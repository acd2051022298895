"""LLVM TableGen: each instruction is one record of 32, 64 or 96 bits, words in issue order.

``TilextInstrInfo.td`` holds the records; ``TilextDecoders.h`` the C++ that they name, which refuses
illegal codes and tied fields that differ; ``Tilext.td`` is a target of their own, so that the
encoder and disassembler can be generated without LLVM's sources. Records that some words fit both
are in decoder namespaces of their own, the one with more fixed bits first (``Tilext``, then
``TilextAlt1`` and so on), for the disassembler to try in turn.
"""

from tilelab.isa.field import runs
from tilelab.tilext.exports.shapes import Shape, legal_codes, shapes
from tilelab.tilext.header import identifier
from tilelab.tilext.profile import Profile
from tilelab.tilext.registers import Kind
from tilelab.tilext.templates import template

_CLASSES = {Kind.TILE: "TR", Kind.GPR: "GPR", Kind.FPR: "FPR64", Kind.VECTOR: "VR"}
_WRITTEN = ("rd", "frd", "vd")


def tablegen(profile: Profile) -> dict[str, str]:
    """Return the files by name."""
    records = [template("TilextInstrInfo.td", profile=profile.name)]
    spaces = namespaces(profile)
    records += [_record(profile, shape, spaces[shape.name]) for shape in shapes(profile)]
    return {
        "Tilext.td": template("Tilext.td"),
        "TilextInstrInfo.td": "\n".join(records),
        "TilextDecoders.h": template("TilextDecoders.h"),
    }


def namespaces(profile: Profile) -> dict[str, str]:
    """Return each shape's decoder namespace: no two within one overlap."""
    taken: list[list[Shape]] = []
    found = {}
    for shape in sorted(shapes(profile), key=lambda s: -(s.mask.bit_count() - s.bits)):
        free = (n for n, held in enumerate(taken) if not any(shape.overlaps(o) for o in held))
        number = next(free, len(taken))
        if number == len(taken):
            taken.append([])
        taken[number].append(shape)
        found[shape.name] = f"TilextAlt{number}" if number else "Tilext"
    return found


def _record(profile: Profile, shape: Shape, namespace: str) -> str:
    outs = [_declared(profile, shape, o) for o in shape.operands if o in _WRITTEN]
    ins = [_declared(profile, shape, o) for o in shape.operands if o not in _WRITTEN]
    text = ", ".join(f"${identifier(o)}" for o in shape.operands)
    lines = [
        f"def {shape.name.upper()} : TilextInst<{shape.bits}, (outs {', '.join(outs)}), "
        f'(ins {", ".join(ins)}), "{shape.instruction.name}\\t{text}"> {{',
        f"  bits<{shape.bits}> Inst;",
        f"  bits<{shape.bits}> SoftFail = 0;",
    ]
    if namespace != "Tilext":
        lines.append(f'  let DecoderNamespace = "{namespace}";')
    for operand in shape.operands:
        width = shape.width(operand) * (2 if operand in shape.tied else 1)
        lines.append(f"  bits<{width}> {identifier(operand)};")
    seen: set[str] = set()
    for place in shape.places:
        low = place.low
        if place.operand in shape.tied:
            low += shape.width(place.operand) if place.operand in seen else 0
            seen.add(place.operand)
        value = f"{identifier(place.operand)}{{{low + place.width - 1}-{low}}}"
        lines.append(f"  let Inst{{{place.at + place.width - 1}-{place.at}}} = {value};")
    lines += [f"  let Inst{{{hi}-{lo}}} = 0b{digits};" for hi, lo, digits in fixed_runs(shape)]
    return "\n".join([*lines, "}"]) + "\n"


def _declared(profile: Profile, shape: Shape, operand: str) -> str:
    """Return an operand of the record with its class."""
    kind, width = profile.kind(shape.instruction.name, operand), shape.width(operand)
    if kind in _CLASSES:
        name = _CLASSES[kind]
        if operand in shape.tied:
            name = f"TilextTied<{name}, {width}>"
        return f"{name}:${identifier(operand)}"
    codes = legal_codes(profile, shape, operand)
    mask = f"{sum(1 << c for c in codes):#x}ull" if codes and max(codes) < 64 else "~0ull"
    pinned = f"{shape.pinned.get(operand, 0):#x}"
    return f'TilextImm<{width}, "{mask}", "{pinned}">:${identifier(operand)}'


def fixed_runs(shape: Shape) -> list[tuple[int, int, str]]:
    """Return the runs of fixed bits, highest first: hi, lo, digits."""
    return [
        (low + width - 1, low, f"{shape.match >> low & (1 << width) - 1:0{width}b}")
        for low, width in reversed(list(runs(shape.mask)))
    ]
