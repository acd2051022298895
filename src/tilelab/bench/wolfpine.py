"""wolfpine, a simulator in Python from PyPI, where it is installed (``pip install wolfpine``).

Its coprocessor is driven by hand: words go in at a thread's frontend and every unit is given
clocks until nothing is left. Unpackers and packers want its whole device, RISC-V its cores' own
memories: not measured.
"""

import time
from importlib import import_module
from typing import Any

from tilelab.bench.backends import UnableError
from tilelab.bench.work import CHIP, MOP, THREAD, Work
from tilelab.tensix.arch import arch

MOVERS = ("UNPACR", "PACR")
MAX_CLOCKS = 10_000_000


class WolfpineBackend:
    """wolfpine's coprocessor."""

    name = "wolfpine"
    share = 1 / 1000

    def __init__(self) -> None:
        try:
            self._tensix = import_module("framework.pe.tensix.tensix")
            self._registers = import_module("framework.pe.tensix.registers")
            self._profile = import_module("framework.arch.blackhole").BLACKHOLE_PROFILE
        except ImportError as error:
            raise UnableError(f"wolfpine is not installed ({error})") from None
        self._unit: Any = None
        self._clock = 0

    def start(self, work: Work) -> None:
        """Make a coprocessor and set it up."""
        if work.riscv or work.name in MOVERS:
            raise UnableError("wolfpine's coprocessor alone cannot do it")
        profile = self._profile
        self._unit = self._tensix.TensixCoProcessor(
            None, profile.tensix_cfg_state_size, profile.tensix_thd_state_size, blackhole=True
        )
        backend = self._unit.getBackend()
        client = self._registers.SrcRegister.SrcClient.MatrixUnit
        for bank in (0, 1):  # instead of the unpackers
            backend.getSrcA(bank).allowedClient = client
            backend.getSrcB(bank).allowedClient = client
        for at, value in work.config_words().items():
            backend.config_unit.config[0][at] = value
        unpackers = {arch(CHIP).instructions[name].opcode for name in ("UNPACR", "SETADCXX")}
        frontend = self._unit.getThread(THREAD)
        expander = frontend.getMOPExpander()
        for at, value in enumerate(work.mop_cfg()):
            expander.write(4 * at, value.to_bytes(4, "little"))
        for word in work.setup():
            if word >> 24 not in unpackers:
                frontend.write(0, word.to_bytes(4, "little"))
                self._drain()

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

    def close(self) -> None:
        """Drop the coprocessor."""
        self._unit = None
