"""A C header of inline-assembly macros, one for each instruction a profile encodes.

GPR and FPR operands are C values that the compiler places; ``.insn r`` takes them in bits 19:15,
24:20 and 11:7. Tile and vector registers, immediates, codes and flags are integer constants. Every
code with a name is a C constant too, overlays' included. What the assembler would refuse, the
compiler refuses: a static assertion for each operand says what it may be. An operand that can be
a register or an immediate makes two macros, the register's ending in ``_R``. The words of an
instruction are one ``asm`` statement, so that nothing comes between them.

The atomic's rd is in bits 27:23, where ``.insn`` has no register: its macro goes through a0.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tilelab.isa.multiword import MultiWord, Piece, Word
from tilelab.sim.errors import BadInputError
from tilelab.tilext.forms import LOAD, STORE
from tilelab.tilext.profile import Profile
from tilelab.tilext.registers import REGISTERS, Kind
from tilelab.tilext.templates import template

_PLACES = {(11, 7): "d", (19, 15): "s", (24, 20): "t"}  # in the order .insn r takes them
_CONSTRAINTS = {Kind.GPR: "r", Kind.FPR: "f"}
_WRITTEN = ("rd", "frd")
_A0 = 10
_WORDS = 0x10000
_FUNC6_TABLES = [(file, way) for file in ("vector", "frf", "grf") for way in (LOAD, STORE)]


@dataclass(frozen=True)
class Named:
    """An operand's named codes in C: what the macros take, and the constants that say so.

    Where names are numbers (a tilesize of 4) the macros take the number, not its code. Words among
    numbers, and the codes of each func6 table, have a ``tag`` that sets them apart, so that neither
    a raw code nor a name of another table passes for one of them.
    """

    prefix: str
    tag: int
    codes: Mapping[str, int]
    closed: bool

    @cached_property
    def arguments(self) -> dict[int, int]:
        """Codes by the value that stands for each in C."""
        return {
            int(name) if name.isdigit() else code | self.tag: code
            for name, code in self.codes.items()
        }

    @property
    def translated(self) -> bool:
        """True if C's values are not the codes themselves."""
        return any(value != code for value, code in self.arguments.items())

    @property
    def meant(self) -> str:
        """The values that are legal, for a message."""
        names = self.codes
        if all(name.isdigit() for name in names):
            return ", ".join(names)
        return f"one of {self.prefix}_… ({', '.join(names)})"

    def define(self) -> list[str]:
        """Return the constants, and the translation if there is one."""
        out, seen = [], set()
        for name, value in zip(self.codes, self.arguments, strict=True):
            constant = f"{self.prefix}_{identifier(name).upper()}"
            if constant in seen:
                raise BadInputError(f"two names of codes are {constant} in C")
            seen.add(constant)
            out.append(f"#define {constant} {value}")
        if self.translated:
            pairs = self.arguments.items()
            chain = " : ".join(f"((value) | 0ll) == {v} ? {code}" for v, code in pairs)
            out.append(f"#define {self.prefix}_CODE(value) ({chain} : -1)")
        return out

    def check(self, name: str) -> str:
        """Return the condition under which a value is legal."""
        if self.translated:
            return f"{self.prefix}_CODE({name}) >= 0"
        if max(self.codes.values()) > 63:
            return " || ".join(f"(({name}) | 0ll) == {code}" for code in self.codes.values())
        return f"TILEXT_AMONG({name}, {sum(1 << code for code in self.codes.values()):#x}ull)"


@dataclass(frozen=True)
class Macro:
    """One macro: an instruction with its selectors fixed."""

    name: str
    profile: Profile
    instruction: MultiWord
    fixed: Mapping[str, int]

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Operands in the order of the macro's parameters."""
        return tuple(o for o in self.instruction.active(self.fixed) if o not in self.fixed)

    def pieces(self, operand: str) -> list[Piece]:
        """Return where an operand goes."""
        found = self.instruction.operands[operand].pieces
        return [piece for piece in found if piece.active(self.fixed)]

    def kind(self, operand: str) -> Kind:
        """Return what an operand is."""
        return self.profile.kind(self.instruction.name, operand)

    def constraint(self, operand: str) -> str:
        """Return the asm constraint of an operand that the compiler places, else ""."""
        placed = all((p.field.hi, p.field.lo) in _PLACES for p in self.pieces(operand))
        return _CONSTRAINTS.get(self.kind(operand), "") if placed else ""

    def named(self, operand: str) -> Named | None:
        """Return an operand's named codes."""
        return named_codes(self.profile, self.instruction.name, operand)

    @property
    def through_a0(self) -> bool:
        """True if the result register cannot be placed by the compiler."""
        return "rd" in self.parameters and not self.constraint("rd")


def named_codes(profile: Profile, name: str, operand: str) -> Named | None:
    """Return the named codes of an instruction's operand, if it has any."""
    codes = profile.codes(name, operand)
    if codes is None:
        return None
    prefix = f"TILEXT_{identifier(operand).upper()}"
    tag = _WORDS if any(text.isdigit() for text in codes.by_name) else 0
    if operand == "func6":
        form = profile.forms[name]
        prefix += f"_{form.func6}_{form.direction}".upper()
        tag = _WORDS * (_FUNC6_TABLES.index((form.func6, form.direction)) + 1)
    return Named(prefix, tag, codes.by_name, codes.closed)


def _c_name(name: str) -> str:
    return "TILEXT_" + name.upper().replace(".", "_")


def macros(profile: Profile) -> Iterator[Macro]:
    """Yield the macros of a profile."""
    for name, instruction in profile.instructions.items():
        c_name = _c_name(name)
        selectors = list(instruction.selectors)
        yield Macro(c_name, profile, instruction, dict.fromkeys(selectors, 0))
        if selectors:
            yield Macro(c_name + "_R", profile, instruction, dict.fromkeys(selectors, 1))


def identifier(name: str) -> str:
    """Return a name as a part of a C identifier."""
    return re.sub(r"\W", "_", name, flags=re.ASCII)


def _constant(macro: Macro, word: Word) -> str:
    """Return the word as a C expression, with 0 where the compiler places a register."""
    base = word.match
    terms = []
    for operand in macro.instruction.operands:
        for piece in macro.pieces(operand):
            if piece.slot != word.slot or macro.constraint(operand):
                continue
            if operand in macro.fixed:
                base |= piece.field.put(macro.fixed[operand])
            elif operand == "rd":
                base |= piece.field.put(_A0)
            else:
                terms.append(_term(macro, operand, piece))
    return " | ".join([*terms, f"{base:#x}ul"])


def _term(macro: Macro, operand: str, piece: Piece) -> str:
    """Return an operand's bits in place."""
    value, named = f"({identifier(operand)})", macro.named(operand)
    if named is not None and named.translated:
        value = f"{named.prefix}_CODE{value}"
    shift = f" >> {piece.low}" if piece.low else ""
    return f"((unsigned long){value}{shift} & {piece.field.max:#x}ul) << {piece.field.lo}"


def _checks(macro: Macro) -> Iterator[str]:
    """Yield what the compiler has to find true, each with its message."""
    for operand in macro.parameters:
        name, kind = identifier(operand), macro.kind(operand)
        constraint, named = macro.constraint(operand), macro.named(operand)
        if constraint or (operand == "rd" and macro.through_a0):
            what = "a float or double" if kind is Kind.FPR else "an integer or a pointer"
            yield _assert(macro, f"TILEXT_IN_{kind.name}({name})", f"{operand} is {what}")
        elif named is not None and named.closed:
            yield _assert(macro, named.check(name), f"{operand} is {named.meant}")
        else:
            yield from _range_checks(macro, operand)


def _range_checks(macro: Macro, operand: str) -> Iterator[str]:
    name, kind = identifier(operand), macro.kind(operand)
    cover = macro.instruction.operands[operand].cover(macro.fixed)
    if cover & (cover + 1):
        text = f"{operand} uses only the bits {cover:#x} here"
    elif kind in REGISTERS:
        text = f"{operand} is the number of a {kind.value}, 0 to {cover}"
    else:
        text = f"{operand} is 0 to {cover}"
    yield _assert(macro, f"TILEXT_FITS({name}, {cover:#x})", text)
    for piece in macro.pieces(operand):
        word = macro.instruction.word(piece.slot)
        if pinned := piece.field.get(word.mask):
            value = piece.field.get(word.match)
            fixed = f"(((unsigned long)({name}) >> {piece.low}) & {pinned:#x}) == {value:#x}"
            digits = next(cell.digits for cell in word.cells if cell.field == piece.field)
            text = f"{operand} is {digits} in binary"
            yield _assert(macro, fixed, text)


def _assert(macro: Macro, condition: str, text: str) -> str:
    return f'TILEXT_ASSERT({condition}, "{macro.instruction.name}: {text}");'


def _line(macro: Macro, word: Word) -> str:
    """Return a word's .insn line."""
    placed = {
        (piece.field.hi, piece.field.lo): operand
        for operand in macro.parameters
        if macro.constraint(operand)
        for piece in macro.pieces(operand)
        if piece.slot == word.slot
    }
    registers = [
        f"%[c_{identifier(placed[bits])}]" if bits in placed else f"x%[{part}{word.slot}]"
        for bits, part in _PLACES.items()
    ]
    opcode, funct3 = word.constants & 0x7F, word.constants >> 12 & 7
    return f".insn r {opcode:#x}, {funct3}, %[f{word.slot}], {', '.join(registers)}"


def _macro(macro: Macro) -> str:
    lines: list[str] = []
    inputs: list[str] = []
    outputs: list[str] = []
    for operand in macro.parameters:
        if not (constraint := macro.constraint(operand)):
            continue
        name = identifier(operand)
        if operand in _WRITTEN:
            outputs.append(f'[c_{name}]"={constraint}"({name})')
        else:
            inputs.append(f'[c_{name}]"{constraint}"({name})')
    for slot in macro.profile.issue_order(macro.instruction):
        word = macro.instruction.word(slot)
        lines.append(_line(macro, word))
        inputs.append(f"TILEXT_WORD({slot}, {_constant(macro, word)})")
    if macro.through_a0:
        outputs.append('"=r"(tilext_a0)')
    text = "\\n\\t".join(lines)
    body = ["do {", *_checks(macro)]
    if macro.through_a0:
        body.append('register unsigned long tilext_a0 __asm__("a0");')
    body += [f'__asm__ volatile("{text}"', f": {', '.join(outputs)}"]
    body += [f"{':' if n == 0 else ','} {item}" for n, item in enumerate(inputs)]
    body.append(': "memory");')
    if macro.through_a0:
        body.append("(rd) = tilext_a0;")
    body.append("} while (0)")
    title = macro.profile.table[macro.instruction.name].title.replace("*/", "* /")
    names = ", ".join(identifier(operand) for operand in macro.parameters)
    return f"/* {title} */\n#define {macro.name}({names}) \\\n  " + " \\\n  ".join(body) + "\n"


def _constants(profile: Profile) -> str:
    """Return every named code as a constant, each set once."""
    found: dict[str, list[str]] = {}
    for name, instruction in profile.instructions.items():
        for operand in instruction.operands:
            if (named := named_codes(profile, name, operand)) is not None:
                found.setdefault(named.prefix, named.define())
    return "\n".join(line for lines in found.values() for line in lines) + "\n"


def _refusal(profile: Profile, name: str) -> str:
    """Return a macro that stops the compiler for an instruction without an encoding."""
    text = profile.not_encodable(name).summary.replace('"', "'")
    return f'#define {_c_name(name)}(...) TILEXT_ASSERT(0, "{text}")\n'


def header(profile: Profile) -> str:
    """Return the header's text; BadInputError if names of the overlay collide in C."""
    every = list(macros(profile))
    if len({macro.name for macro in every}) < len(every):
        raise BadInputError("two instructions of the overlay have the same name in C")
    text = [template("tilext.h", profile=profile.name), _constants(profile)]
    text += [_refusal(profile, n) for n in profile.table if n not in profile.instructions]
    return "\n".join([*text, *(_macro(macro) for macro in every), "#endif\n"])
