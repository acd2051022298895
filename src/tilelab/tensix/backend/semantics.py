"""Binding semantics to instruction rows, and what every unit's kernels share.

An instruction's kernel is ``name(s, t, operand, …)``: the state view, the issuing thread, then
exactly the row's operands, see :func:`operands`; it may take the ``word`` too, or nothing but that.
:func:`semantics` names the chips for which it holds and refuses a mismatch on import, so table and
meaning cannot drift, and no chip gets a meaning that nobody checked for it. Where the chips' rows
have different operands, each gets a kernel of its own; a mere other name is said (``called``).

A unit may have a prologue, which each of its instructions goes through first.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Final

from tilelab.isa.field import Field
from tilelab.isa.instruction import Instruction
from tilelab.sim.kernel import OK, KernelT, argument_names, kernel
from tilelab.tensix.arch import Arch, arch
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.units import SubUnit

BLACKHOLE, WORMHOLE = ("blackhole",), ("wormhole",)
BOTH: Final = BLACKHOLE + WORMHOLE
"""Chips for which a kernel holds."""

SEMANTICS: defaultdict[str, dict[str, Callable[..., int]]] = defaultdict(dict)
"""Kernel of each instruction that is modelled, by chip and name."""

GO: Final = -100
"""What a prologue returns for an instruction that is to be executed; no kernel returns it."""

_PROLOGUES: dict[str, Callable[[State, int, int], int]] = {}
_WITHOUT_PROLOGUE: set[str] = set()
_CALLED: dict[str, dict[str, str]] = {}
"""What kernels call fields, by instruction and the name that one chip's row has for it."""

SCHEDULED = (SubUnit.SIMPLE, SubUnit.MAD, SubUnit.ROUND)
"""Sub-units whose instructions SFPLOADMACRO schedules by template."""
OVERRIDDEN = ("vb", "vc", "vd")
"""Registers that SFPLOADMACRO decides for an instruction that it schedules."""


def operands(row: Instruction) -> dict[str, Field]:
    """What a row's kernel takes: its fields, by the manual's names where they name registers.

    Then the registers that are no field of their own: they share the destination's, are a part of
    a field, or depend on the modifier. SFPLOADMACRO may choose another.
    """
    found: dict[str, Field] = {}
    called = _CALLED.get(row.name, {})
    for field in row.fields:
        register = row.registers.at(field)
        depends = register == "vb" and row.vb_modifier
        name = register if register and not depends else field.name
        found[called.get(name, name)] = field
    for named in row.registers.named:
        found.setdefault(named.name, named)
    return found


def operand(row: Instruction, name: str, word: int) -> int:
    """The value of an operand in a word."""
    if name == "word":
        return word
    if name == "vb" and row.vb_modifier and not word & row.vb_modifier:
        name = "vd"
    return operands(row)[name].get(word)


def parameters(handler: Callable[..., int]) -> list[str]:
    """The operands that a kernel takes, after state and thread."""
    return argument_names(handler)[2:]


def semantics(
    name: str,
    chips: tuple[str, ...],
    begins_itself: bool = False,
    called: dict[str, str] | None = None,
) -> Callable[[KernelT], KernelT]:
    """Bind a kernel to a row of each of the chips, whose manuals all say what the kernel does.

    TypeError if one of them has no such row, or the kernel does not take its operands.
    ``begins_itself``: the unit's prologue is left to the kernel, which checks something before.
    ``called``: fields that one chip's row has another name for, and what the kernel calls them.
    """
    if called:
        _CALLED[name] = called

    def bind(function: KernelT) -> KernelT:
        taken = argument_names(function)
        for chip in chips:
            row = arch(chip).instructions.get(name)
            if row is None:
                raise TypeError(f"{chip} has no {name}")
            wanted = ["s", "t", *operands(row)]
            if taken not in (wanted, [*wanted, "word"], ["s", "t", "word"]):
                raise TypeError(f"{chip} {name}: row has {wanted}, kernel takes {taken}")
            if name in SEMANTICS[chip]:
                raise TypeError(f"{chip} {name} has two kernels")
            SEMANTICS[chip][name] = function
        if begins_itself:
            _WITHOUT_PROLOGUE.add(name)
        return kernel(function)

    return bind


def begins(unit: str) -> Callable[[KernelT], KernelT]:
    """Bind a unit's prologue: a kernel of state, thread and word that returns GO, or a result."""

    def bind(function: KernelT) -> KernelT:
        _PROLOGUES[unit] = function
        return kernel(function)

    return bind


def prologue(row: Instruction) -> Callable[[State, int, int], int] | None:
    """The kernel that an instruction goes through before its own, if there is one."""
    return None if row.name in _WITHOUT_PROLOGUE else _PROLOGUES.get(row.unit)


def schedulable(chip: Arch) -> Iterator[tuple[Instruction, Callable[..., int]]]:
    """The rows that SFPLOADMACRO can schedule by template, and their kernels."""
    for row in chip.instructions.values():
        if row.sub_unit in SCHEDULED and row.name in SEMANTICS[chip.name]:
            yield row, SEMANTICS[chip.name][row.name]


def shared(chip: Arch) -> set[Callable[..., int]]:
    """The kernels that several of a chip's rows have, and that tell them apart by the word."""
    of_rows = Counter(SEMANTICS[chip.name].values())
    refused = {
        SEMANTICS[chip.name].get(row.name) for row in chip.instructions.values() if row.refused
    }
    return {kernel for kernel, rows in of_rows.items() if rows > 1} - refused


def scheduled(s: State, word: int, vb: int, vc: int, vd: int) -> int:
    """Execute what SFPLOADMACRO scheduled, with the registers that it decided on.

    SFPNOP does nothing. The fast engine compiles a dispatch generated from the same rows instead.
    """
    row = s.arch.instructions.find(word)
    if row is None or row.sub_unit not in SCHEDULED:
        return OK
    handler = SEMANTICS[s.arch.name][row.name]
    registers = {"vb": vb, "vc": vc, "vd": vd}
    values = (registers.get(n, operand(row, n, word)) for n in parameters(handler))
    return handler(s, 0, *values)


@kernel
def config_bank(s: State, t: int) -> int:
    """Which Config bank the thread selects (StateID)."""
    return s.thread_config[t, 0] & 1


@kernel
def config(s: State, t: int, place: int) -> int:
    """Value of a Config field, from the bank that the thread selects."""
    word = s.config[config_bank(s, t), place >> 16]
    return (word >> ((place >> 8) & 31)) & ((1 << (place & 63)) - 1)


@kernel
def thread_config(s: State, t: int, place: int) -> int:
    """Value of a field of the thread's ThreadConfig."""
    word = s.thread_config[t, place >> 16]
    return (word >> ((place >> 8) & 31)) & ((1 << (place & 63)) - 1)
