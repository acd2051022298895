"""Assembly syntax: one rule for every instruction, read and written by the same plan.

Registers come first, by position: destination, sources, the address in parentheses. Everything
else is named: ``tilesize=4`` for numbers, the bare name for a flag that is set. Bits that can
hold a register or an immediate have one name for both, and the enable bit follows from what is
written: ``offset=a2``, ``offset=64``, ``compare=a3``, ``index=5``, ``mask=a1``. Flags, these
choices and ``imm`` may be left out and are then 0; everything else is stated. Codes with names
take the name, ``@N`` is a raw code::

    tgld.index tr8, (a0), v4, func6=e16, tilesize=2, offset=a2, tmask
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tilelab.isa.multiword import MultiWord, Part
from tilelab.isa.syntax import shorten
from tilelab.tilext.errors import AssemblyError
from tilelab.tilext.profile import Profile
from tilelab.tilext.registers import REGISTERS, Kind, register_name, register_number

_POSITIONS = "rd frd vd td dst ts1 src vs1 coord/size frs1 ts2 rs1 sync_id rs2 vs2 frs2 ts3"


def _position(operand: str) -> tuple[int, str]:
    """Where an operand comes among the registers; those of overlays last, by name."""
    known = _POSITIONS.split()
    return (known.index(operand) if operand in known else len(known)), operand


STRAY = "unassigned."  # and a slot: what a lenient decoder found at a word's unassigned bits
_ADDRESSED = ("memory", "atomic")


@dataclass(frozen=True)
class Choice:
    """A named place for a register or, if there is one, an immediate."""

    selector: str
    register: str
    immediate: str


@dataclass(frozen=True)
class Plan:
    """How one instruction is written."""

    instruction: MultiWord
    positions: tuple[str, ...]
    choices: Mapping[str, Choice]
    named: tuple[str, ...]
    kinds: Mapping[str, Kind]
    address: str


def _operand(part: Part | None) -> str:
    return part.operand if part is not None else ""


def plan_of(profile: Profile, instruction: MultiWord) -> Plan:
    """Derive an instruction's syntax from its words."""
    name = instruction.name
    choices = {
        cell.field.name: Choice(selector, cell.part.operand, _operand(cell.other))
        for selector, cell in instruction.selectors.items()
    }
    chosen = {x for c in choices.values() for x in (c.selector, c.register, c.immediate)}
    kinds = {operand: profile.kind(name, operand) for operand in instruction.operands}
    free = [operand for operand in instruction.operands if operand not in chosen]
    positions = sorted((o for o in free if kinds[o] in REGISTERS), key=_position)
    named = tuple(o for o in instruction.operands if o not in chosen and o not in positions)
    if "imm" in chosen:  # its upper bits stay free when the choice takes a register
        named = (*named, "imm")
    address = "rs1" if profile.forms[name].family in _ADDRESSED and "rs1" in positions else ""
    return Plan(instruction, tuple(positions), choices, named, kinds, address)


class Syntax:
    """Reads and writes the instructions of a profile."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.plans = {
            name: plan_of(profile, instruction)
            for name, instruction in profile.instructions.items()
        }

    def write(self, name: str, values: Mapping[str, int]) -> str:
        """Return the text of an instruction."""
        plan = self.plans[name]
        parts = []
        for operand in plan.positions:
            text = register_name(plan.kinds[operand], values[operand])
            parts.append(f"({text})" if operand == plan.address else text)
        shown = set()
        for key, choice in plan.choices.items():
            if values[choice.selector]:
                register = register_name(plan.kinds[choice.register], values[choice.register])
                parts.append(f"{key}={register}")
            elif choice.immediate:
                shown.add(choice.immediate)
                if values[choice.immediate]:
                    parts.append(f"{key}={values[choice.immediate]}")
        for operand in plan.named:
            if operand in values and operand not in shown:
                parts += self._write_named(plan, operand, values[operand])
        parts += [f"{o}={v:#x}" for o, v in values.items() if o.startswith(STRAY)]
        return f"{name} {', '.join(parts)}".strip()

    def _write_named(self, plan: Plan, operand: str, value: int) -> list[str]:
        codes = self.profile.codes(plan.instruction.name, operand)
        if codes is not None and value in codes.by_code:
            return [f"{operand}={codes.by_code[value]}"]
        if codes is not None and codes.closed:
            return [f"{operand}=@{value}"]
        if plan.kinds[operand] is Kind.FLAG:
            return [operand] * value
        return [] if operand == "imm" and not value else [f"{operand}={value}"]

    def read(self, text: str) -> tuple[MultiWord, dict[str, int]]:
        """Return the instruction and operands that a line of text names."""
        name, _, rest = text.strip().partition(" ")
        plan = self.plans.get(name)
        if plan is None:
            raise self.profile.not_encodable(name)
        items = [item.strip() for item in rest.split(",")] if rest.strip() else []
        if len(items) < len(plan.positions):
            wanted = ", ".join(plan.positions)
            raise AssemblyError(f"{name} begins with {wanted}; {len(items)} operands are given")
        values = {
            operand: self._register(plan, operand, item)
            for operand, item in zip(plan.positions, items, strict=False)
        }
        for item in items[len(plan.positions) :]:
            self._read_named(plan, item, values)
        self._defaults(plan, values)
        return plan.instruction, values

    def _register(self, plan: Plan, operand: str, item: str) -> int:
        if operand == plan.address:
            if not (item.startswith("(") and item.endswith(")")):
                raise AssemblyError(
                    f"{operand} is an address and wants parentheses, not {shorten(item)!r}"
                )
            item = item[1:-1].strip()
        kind = plan.kinds[operand]
        number = register_number(kind, item)
        if number is None:
            raise AssemblyError(f"{operand} wants a {kind.value}, not {shorten(item)!r}")
        return number

    def _read_named(self, plan: Plan, item: str, values: dict[str, int]) -> None:
        key, equals, text = (part.strip() for part in item.partition("="))
        choice = plan.choices.get(key)
        selector = choice.selector if choice else ""
        if (choice and selector in values) or (key in values):
            raise AssemblyError(f"{key} is given twice")
        if choice is not None and equals:
            number = register_number(plan.kinds[choice.register], text)
            values[selector] = int(number is not None)
            if number is not None:
                values[choice.register] = number
            elif choice.immediate:
                if choice.immediate in values:
                    raise AssemblyError(f"{key} and {choice.immediate} are the same bits here")
                values[choice.immediate] = _number(key, text)
            else:
                raise AssemblyError(f"{key} wants an integer register, not {shorten(text)!r}")
        elif key.startswith(STRAY) and key[len(STRAY) :] in ("0", "1", "2"):
            values[key] = _number(key, text)
        elif key not in plan.named:
            known = ", ".join((*plan.choices, *plan.named))
            raise AssemblyError(
                f"{plan.instruction.name} has no {shorten(key)!r}; it has {known or 'none'}"
            )
        elif not equals:
            if plan.kinds[key] is not Kind.FLAG:
                raise AssemblyError(f"{key} wants a value: {key}=…")
            values[key] = 1
        else:
            values[key] = self._value(plan, key, text)

    def _value(self, plan: Plan, key: str, text: str) -> int:
        codes = self.profile.codes(plan.instruction.name, key)
        if codes is not None and text in codes.by_name:
            return codes.by_name[text]
        if text.startswith("@"):
            return _number(key, text[1:])
        if codes is not None and codes.closed:
            raise AssemblyError(f"{key}={shorten(text)}: it is one of {', '.join(codes.by_name)}")
        return _number(key, text)

    def _defaults(self, plan: Plan, values: dict[str, int]) -> None:
        for choice in plan.choices.values():
            values.setdefault(choice.selector, 0)
            if choice.immediate and not values[choice.selector]:
                values.setdefault(choice.immediate, 0)
        for operand in plan.instruction.active(values):
            if operand == "imm" or plan.kinds[operand] is Kind.FLAG:
                values.setdefault(operand, 0)
            elif operand not in values:
                raise AssemblyError(f"{plan.instruction.name} needs {operand}=…")


def _number(key: str, text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise AssemblyError(f"{key}={shorten(text)}: not a number") from None
