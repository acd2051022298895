"""wolfpine, a simulator in Python from PyPI, where it is installed (``pip install wolfpine``).

Its coprocessor is driven by hand: words go in at a thread's frontend and every unit is given
clocks until nothing is left; operands are put into SrcA and SrcB, where the unpackers would bring
them. Its RISC-V cores run the same programs as everyone's, over a memory of their own.
Unpackers and packers want its whole device: not measured.
"""

import time
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tilelab.bench.backends import Driver, UnableError
from tilelab.bench.work import CHIP, DATA, MOP, THREAD, Work
from tilelab.tensix.arch import arch
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS

MOVERS = ("UNPACR", "PACR")
MAX_CLOCKS = 20_000_000
CLOCKS = 100
"""Between two looks at whether a program is done."""


def installed() -> bool:
    """Whether it can be imported."""
    try:
        return find_spec("framework.pe.tensix.tensix") is not None
    except ImportError:
        return False


class Coprocessor:
    """wolfpine's coprocessor without cores."""

    def __init__(self, work: Work) -> None:
        if work.name in MOVERS:
            raise UnableError("wolfpine's coprocessor alone cannot do it")
        profile = import_module("framework.arch.blackhole").BLACKHOLE_PROFILE
        self._unit: Any = import_module("framework.pe.tensix.tensix").TensixCoProcessor(
            None, profile.tensix_cfg_state_size, profile.tensix_thd_state_size, blackhole=True
        )
        self._clock = 0
        self._bring_operands()
        for at, value in work.config_words().items():
            self._unit.getBackend().config_unit.config[0][at] = value
        unpackers = {arch(CHIP).instructions[name].opcode for name in ("UNPACR", "SETADCXX")}
        frontend = self._unit.getThread(THREAD)
        expander = frontend.getMOPExpander()
        for at, value in enumerate(work.mop_cfg()):
            expander.write(4 * at, value.to_bytes(4, "little"))
        for word in work.setup():
            if word >> 24 not in unpackers:
                frontend.write(0, word.to_bytes(4, "little"))
                self._drain()

    def _bring_operands(self) -> None:
        """Do what the unpackers do for the others."""
        convert = import_module("framework.pe.tensix.util").DataFormatConversions.BF16ToSrcBF16
        formats = import_module("framework.pe.tensix.backends.backend_base").DataFormat
        client = import_module("framework.pe.tensix.registers").SrcRegister.SrcClient.MatrixUnit
        numbers = [int.from_bytes(DATA[at : at + 2], "little") for at in range(0, len(DATA), 2)]
        backend = self._unit.getBackend()
        for register in [
            get(bank) for get in (backend.getSrcA, backend.getSrcB) for bank in (0, 1)
        ]:
            register.setAllowedClient(client)
            register.setDataFormat(formats.BF16)
            for at, number in enumerate(numbers):
                register[divmod(at, 16)] = convert(number)

    def _drain(self) -> None:
        clocks = self._unit.getClocks()
        for _ in range(MAX_CLOCKS):
            if not self._unit.CoprocessorDoneCheck(THREAD):
                return
            for unit in clocks:
                unit.clock_tick(self._clock)
            self._clock += 1
        raise UnableError("wolfpine never got done")

    def run(self, repeats: int) -> float:
        """Run the work's loop."""
        start = time.process_time()
        for _ in range(repeats):
            self._unit.getThread(THREAD).write(0, MOP.to_bytes(4, "little"))
            self._drain()
        return time.process_time() - start


class CoresHost:
    """wolfpine's RISC-V cores over an L1, with the registers that reset them."""

    def __init__(self, count: int) -> None:
        profile = import_module("framework.arch.blackhole").BLACKHOLE_PROFILE
        memory = import_module("framework.memory.memory")
        mapping = import_module("framework.memory.memory_map")
        baby = import_module("framework.pe.rv.babyriscv")
        control = import_module("framework.misc.tile_ctrl").TensixTileControl()
        self._l1 = memory.DRAM(profile.tensix_l1_size)
        placed = mapping.MemoryMap()
        placed[mapping.AddressRange(0, self._l1.getSize())] = self._l1
        placed[mapping.AddressRange(DEBUG_REGISTERS, control.getSize())] = control
        self._memory = memory.VisibleMemory(placed)
        kinds = baby.BabyRISCVCoreType
        self._cores = [
            baby.BabyRISCV(
                kind,
                [self._memory],
                reset_pc_debug_regs=profile.baby_core_reset_pc_debug_regs,
                isa_extensions=profile.baby_core_isa_extensions,
            )
            for kind in (kinds.TRISC0, kinds.TRISC1, kinds.TRISC2, kinds.BRISC)[:count]
        ]
        for core in self._cores:
            core.start()
        self._clock = 0

    def write(self, address: int, data: bytes) -> None:
        """Write L1."""
        self._l1.write(address, data)

    def reg_write(self, address: int, value: int) -> None:
        """Write a tile register."""
        self._memory.write(address, value.to_bytes(4, "little"))

    def run_until(self, words: dict[int, int]) -> None:
        """Run until words of L1 have their values."""
        for _ in range(MAX_CLOCKS // CLOCKS):
            for clock in range(self._clock, self._clock + CLOCKS):
                for core in self._cores:
                    core.clock_tick(clock)
            self._clock += CLOCKS
            if all(int.from_bytes(self._l1.read(at, 4), "little") == v for at, v in words.items()):
                return
        raise UnableError("wolfpine's cores never got done")


class WolfpineBackend:
    """wolfpine: its cores for RISC-V, its coprocessor for the rest."""

    def __init__(self) -> None:
        self._runs: Driver | Coprocessor | None = None

    def start(self, work: Work) -> None:
        """Make the parts that the work needs, and set them up."""
        try:
            if work.riscv:
                self._runs = Driver(CoresHost(len(work.cores)), work)
            else:
                self._runs = Coprocessor(work)
        except (ImportError, AttributeError) as error:
            raise UnableError(f"wolfpine lacks what this needs ({error})") from None

    def run(self, repeats: int) -> float:
        """Run the work's loop."""
        assert self._runs is not None
        return self._runs.run(repeats)
