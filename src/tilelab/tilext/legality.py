"""What the document calls illegal, beyond the shape of the words: codes and the CSR rule."""

from collections.abc import Mapping

from tilelab.isa.multiword import MultiWord
from tilelab.tilext import tcsr
from tilelab.tilext.errors import IllegalInstruction
from tilelab.tilext.profile import Profile


def check(profile: Profile, instruction: MultiWord, values: Mapping[str, int]) -> None:
    """Raise IllegalInstruction if a value is not legal; ``values`` fit their fields."""
    name = instruction.name
    for operand, value in values.items():
        codes = profile.codes(name, operand)
        if codes is not None and codes.closed and value not in codes.by_code:
            legal = ", ".join(f"{text}={code:#b}" for text, code in codes.by_name.items())
            raise IllegalInstruction(f"{name}: {operand} {value:#b} is illegal; legal: {legal}")
    if profile.forms[name].family == "tcsr" and "rd" in values:
        _check_csr(instruction, values)


def _check_csr(instruction: MultiWord, values: Mapping[str, int]) -> None:
    """Table 10: with rd = x0 a CSR is not read, so rd_en must say whether rd is x0."""
    word = instruction.word(1)
    fixed = next((c for c in word.cells if c.field.name == "rd_en" and c.constant), None)
    rd_en = values.get("rd_en", fixed.match >> fixed.field.lo if fixed else 1)
    reads = tcsr.access("CSRRW", rd_is_x0=values["rd"] == 0, source_is_zero=False).reads
    if bool(rd_en) != reads:
        raise IllegalInstruction(
            f"{instruction.name}: rd_en is {rd_en} and rd is x{values['rd']}; "
            "by Table 10 (seed line 201) rd = x0 means that the CSR is not read"
        )
