"""Runs single RISC-V words on one core of a tile, and words that GNU as made to run."""

from typing import Any

from tilelab.sim.checks import CHECKS
from tilelab.sim.kernel import OK
from tilelab.tensix.arch import arch
from tilelab.tensix.riscv.core import step
from tilelab.tensix.riscv.host import host_write
from tilelab.tensix.state import TensixState

A0, A1, A2 = 10, 11, 12
BRISC = 3
CODE, DATA = 0x1000, 0x2000

# Assembled by GNU as 2.40 (riscv64-unknown-elf-as -march=rv32ima_zba_zbb_zicsr_zifencei).
ASSEMBLED = {
    "add a0, a1, a2": 0x00C58533,
    "sub a0, a1, a2": 0x40C58533,
    "sll a0, a1, a2": 0x00C59533,
    "slt a0, a1, a2": 0x00C5A533,
    "sltu a0, a1, a2": 0x00C5B533,
    "xor a0, a1, a2": 0x00C5C533,
    "srl a0, a1, a2": 0x00C5D533,
    "sra a0, a1, a2": 0x40C5D533,
    "or a0, a1, a2": 0x00C5E533,
    "and a0, a1, a2": 0x00C5F533,
    "mul a0, a1, a2": 0x02C58533,
    "mulh a0, a1, a2": 0x02C59533,
    "mulhsu a0, a1, a2": 0x02C5A533,
    "mulhu a0, a1, a2": 0x02C5B533,
    "div a0, a1, a2": 0x02C5C533,
    "divu a0, a1, a2": 0x02C5D533,
    "rem a0, a1, a2": 0x02C5E533,
    "remu a0, a1, a2": 0x02C5F533,
    "sh1add a0, a1, a2": 0x20C5A533,
    "sh2add a0, a1, a2": 0x20C5C533,
    "sh3add a0, a1, a2": 0x20C5E533,
    "andn a0, a1, a2": 0x40C5F533,
    "orn a0, a1, a2": 0x40C5E533,
    "xnor a0, a1, a2": 0x40C5C533,
    "min a0, a1, a2": 0x0AC5C533,
    "minu a0, a1, a2": 0x0AC5D533,
    "max a0, a1, a2": 0x0AC5E533,
    "maxu a0, a1, a2": 0x0AC5F533,
    "rol a0, a1, a2": 0x60C59533,
    "ror a0, a1, a2": 0x60C5D533,
    "addi a0, a1, -7": 0xFF958513,
    "slti a0, a1, -7": 0xFF95A513,
    "sltiu a0, a1, -7": 0xFF95B513,
    "xori a0, a1, -7": 0xFF95C513,
    "ori a0, a1, -7": 0xFF95E513,
    "andi a0, a1, -7": 0xFF95F513,
    "slli a0, a1, 13": 0x00D59513,
    "srli a0, a1, 13": 0x00D5D513,
    "srai a0, a1, 13": 0x40D5D513,
    "rori a0, a1, 13": 0x60D5D513,
    "clz a0, a1": 0x60059513,
    "ctz a0, a1": 0x60159513,
    "cpop a0, a1": 0x60259513,
    "sext.b a0, a1": 0x60459513,
    "sext.h a0, a1": 0x60559513,
    "zext.h a0, a1": 0x0805C533,
    "orc.b a0, a1": 0x2875D513,
    "rev8 a0, a1": 0x6985D513,
    "amoadd.w a0, a2, (a1)": 0x00C5A52F,
    "amoswap.w a0, a2, (a1)": 0x08C5A52F,
    "amoxor.w a0, a2, (a1)": 0x20C5A52F,
    "amoor.w a0, a2, (a1)": 0x40C5A52F,
    "amoand.w a0, a2, (a1)": 0x60C5A52F,
    "amomin.w a0, a2, (a1)": 0x80C5A52F,
    "amomax.w a0, a2, (a1)": 0xA0C5A52F,
    "amominu.w a0, a2, (a1)": 0xC0C5A52F,
    "amomaxu.w a0, a2, (a1)": 0xE0C5A52F,
    "lui a0, 0x12345": 0x12345537,
    "auipc a0, 0xfffff": 0xFFFFF517,
    "lb a0, -3(a1)": 0xFFD58503,
    "lh a0, -4(a1)": 0xFFC59503,
    "lw a0, 8(a1)": 0x0085A503,
    "lbu a0, 5(a1)": 0x0055C503,
    "lhu a0, 6(a1)": 0x0065D503,
    "sb a2, -3(a1)": 0xFEC58EA3,
    "sh a2, 6(a1)": 0x00C59323,
    "sw a2, -2048(a1)": 0x80C5A023,
    "jalr ra, 12(a1)": 0x00C580E7,
    "csrrw a0, 0x7c0, a1": 0x7C059573,
    "csrrs a0, 0xbc0, zero": 0xBC002573,
    "csrrc a0, 0x7c0, a1": 0x7C05B573,
    "csrrwi a0, 0x7c0, 5": 0x7C02D573,
    "csrrsi a0, 0x7c0, 17": 0x7C08E573,
    "csrrci a0, 0x7c0, 1": 0x7C00F573,
    "fence": 0x0FF0000F,
    "ecall": 0x00000073,
    "ebreak": 0x00100073,
    "beq a1, a2, .+16": 0x00C58863,
    "bne a1, a2, .+16": 0x00C59863,
    "blt a1, a2, .+16": 0x00C5C863,
    "bge a1, a2, .+16": 0x00C5D863,
    "bltu a1, a2, .+16": 0x00C5E863,
    "bgeu a1, a2, .+16": 0x00C5F863,
    "beq a1, a2, .-4096": 0x80C58063,
    "jal ra, .-1048576": 0x800000EF,
    "jal zero, .+2048": 0x0010006F,
}
WORDS = {text.split()[0]: word for text, word in reversed(ASSEMBLED.items())}


class Core:
    """One core with code at CODE; ``run`` executes one word and says what came of it."""

    def __init__(self, core: int = 1, chip: str = "blackhole") -> None:
        self.core = core
        self.adopt(TensixState(arch(chip)))

    def adopt(self, state: TensixState) -> None:
        """Be a core of another tile."""
        self.state = state
        self.s: Any = state.s
        self.hart = self.s.riscv[self.core]
        self.x = self.hart.x

    def run(self, word: int, **registers: int) -> int:
        """Set registers (``a1=5``), execute a word at CODE, return the status."""
        for name, value in registers.items():
            self.x[{"a0": A0, "a1": A1, "a2": A2}[name]] = value & 0xFFFFFFFF
        self.s.l1_32[CODE // 4] = word
        self.hart.pc = CODE
        return step(self.s, self.core)

    def value(self, word: int, **registers: int) -> int:
        """Run a word that must succeed; return a0."""
        assert self.run(word, **registers) == OK
        assert self.hart.pc == CODE + 4
        return int(self.x[A0])

    def load(self, address: int, name: str = "lw") -> tuple[int, int]:
        """Execute ``name a0, 0(a1)``; return status and a0."""
        status = self.run(WORDS[name] & 0x000FFFFF, a1=address)
        return status, int(self.x[A0])

    def store(self, address: int, value: int, name: str = "sw") -> int:
        """Execute ``name a2, 0(a1)``."""
        return self.run(WORDS[name] & 0x01FFF07F, a1=address, a2=value)


def failed(status: int) -> str:
    """The name of the check that a status is."""
    assert status > 0, f"status {status} is no failed check"
    return CHECKS[status].name


def host_store(state: TensixState, address: int, value: int) -> None:
    """Write a tile register as the host; it must succeed."""
    assert host_write(state.s, address, value) == OK
