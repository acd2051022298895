import pytest

from tilelab.isa.instruction import fields
from tilelab.isa.syntax import OperandError, Syntax, parse_number, parse_operands


def syntax(text: str, bits: str = "") -> Syntax:
    return Syntax(0x42000000, parse_operands(text, fields(bits)))


@pytest.mark.parametrize(
    ("text", "value"),
    [("0", 0), ("-7", -7), ("0xFf", 255), ("-0x10", -16), ("010", 8), ("0b101", 5)],
)
def test_numbers_are_read_as_c_writes_them(text: str, value: int) -> None:
    assert parse_number(text) == value


@pytest.mark.parametrize("text", ["", "x", "08", "1.5", "0x", "1 2", "--1", "+1", "٣", "L0"])
def test_what_is_not_a_number(text: str) -> None:
    with pytest.raises(OperandError, match="is not a number"):
        parse_number(text)


def test_a_huge_number_is_refused_before_it_costs_time() -> None:
    with pytest.raises(OperandError, match=r"^9{37}\.\.\. is too large$"):
        parse_number("9" * 100_000)


def test_an_operand_without_bits_is_the_field_of_its_name() -> None:
    both = syntax("b a=3:0", "b=9:8")
    assert both.assemble(["2", "5"]) == 0x42000205
    assert both.fixed_bits == 0xFFFFFCF0


def test_unsigned_range() -> None:
    with pytest.raises(OperandError, match=r"^a is 16, not in the range 0 to 15$"):
        syntax("a=3:0").assemble(["16"])
    with pytest.raises(OperandError, match=r"^a is -1, not in the range 0 to 15$"):
        syntax("a=3:0").assemble(["-1"])


def test_int_takes_both_readings_of_its_bits_and_prints_unsigned() -> None:
    wide = syntax("int:a=3:0")
    assert wide.assemble(["-8"]) == wide.assemble(["8"]) == 0x42000008
    assert wide.disassemble(0x42000008) == "8"
    for text in ("-9", "16"):
        with pytest.raises(OperandError, match="not in the range -8 to 15"):
            wide.assemble([text])


def test_int_of_16_bits_prints_signed() -> None:
    assert syntax("int:a=15:0").disassemble(0x42008000) == "-32768"


def test_registers() -> None:
    low = syntax("lreg:a=7:4<8")
    assert low.assemble(["L7"]) == low.assemble(["l7"]) == 0x42000070
    for text in ("L8", "7", "L", "L-1", "x5"):
        with pytest.raises(OperandError, match="not a register from L0 to L7"):
            low.assemble([text])
    assert low.disassemble(0x42000080) is None


def test_macro_register_spreads_its_bits() -> None:
    macro = syntax("macroreg:v=21:20 int:a=9:0")
    assert macro.assemble(["L7", "511"]) == 0x423001FF
    assert macro.disassemble(0x423001FF) == "L7,511"
    with pytest.raises(OperandError, match="L4 needs bit 0 of the next number to be 1"):
        macro.assemble(["L4", "2"])
    with pytest.raises(OperandError, match="L0 needs bit 0 of the next number to be 0"):
        macro.assemble(["L0", "3"])


def test_of_operands_that_share_bits_the_later_wins() -> None:
    shared = syntax("a=5:2 b=2:0")
    assert shared.assemble(["1", "0"]) == 0x42000000
    assert shared.assemble(["0", "7"]) == 0x42000007
    assert shared.disassemble(0x42000007) == "1,7"


def test_a_modifier_outside_its_values() -> None:
    with pytest.raises(OperandError, match=r"^m is 3, not one of 0, 2$"):
        syntax("mod:m=3:0(5)").assemble(["3"])
    assert syntax("mod:m=3:0(5)").disassemble(0x42000003) is None


class TestNumbersByModifier:
    unsigned = syntax("bymod:n=23:12 mod:m=3:0(1+2)")
    signed = syntax("bymod:n=23:12 mod:m=3:0(1-2)")

    @pytest.mark.parametrize("number", ["1", "-1", "0xFFF"])
    def test_modifiers_that_want_zero(self, number: str) -> None:
        with pytest.raises(OperandError, match="but must be 0 with m 0"):
            self.unsigned.assemble([number, "0"])
        assert self.unsigned.disassemble(0x42001000) is None
        assert self.unsigned.disassemble(0x42000000) == "0x000,0"

    def test_unsigned(self) -> None:
        assert self.unsigned.assemble(["4095", "1"]) == 0x42FFF001
        with pytest.raises(OperandError, match="n is -1, but must be from 0 to 4095 with m 1"):
            self.unsigned.assemble(["-1", "1"])

    def test_signed(self) -> None:
        assert self.signed.assemble(["-2048", "1"]) == 0x42800001
        with pytest.raises(OperandError, match="n is 2048, but must be from -2048 to 2047"):
            self.signed.assemble(["2048", "1"])

    def test_hexadecimal_gives_the_bits_as_printed(self) -> None:
        assert self.signed.disassemble(0x42FFF001) == "0xFFF,1"
        assert self.signed.assemble(["0xFFF", "1"]) == 0x42FFF001


def test_fixed_operands_are_not_written() -> None:
    fixed = syntax("a=3:0 fixed:b=7:4(a)")
    assert fixed.assemble(["1"]) == 0x420000A1
    assert fixed.disassemble(0x42000001) is None


def test_wrong_number_of_operands() -> None:
    with pytest.raises(OperandError, match=r"^1 operands, expected 2: a, b$"):
        syntax("a=1 b=0").assemble(["1"])
    with pytest.raises(OperandError, match=r"^1 operands, expected 0: none$"):
        syntax("").assemble(["1"])


@pytest.mark.parametrize("text", ["what:a=0", "a", "a=0(", "lreg:"])
def test_a_bad_description(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a valid Kind|no bits and no field|not an operand"):
        syntax(text)
