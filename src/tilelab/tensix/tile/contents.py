"""What a tile holds, as the host reads and writes it: bytes, registers, arrays of numbers."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilelab.formats import Format, Layout, from_l1_bytes, l1_size, to_l1_bytes
from tilelab.sim.checks import CHECKS
from tilelab.sim.errors import BadInputError
from tilelab.sim.kernel import OK
from tilelab.tensix.arch import Arch
from tilelab.tensix.frontend.expand import checked_word
from tilelab.tensix.run.engine import Engine
from tilelab.tensix.run.stuck import forget_stuck
from tilelab.tensix.state import TensixState
from tilelab.tensix.tile.arguments import checked_address, integer
from tilelab.tensix.tile.values import (
    DstFormat,
    LregFormat,
    Numbers,
    SrcFormat,
    dst_values,
    lreg_values,
    src_values,
)

Bytes = bytes | bytearray | memoryview | npt.NDArray[Any]
WORD_BYTES: Final = 4
REGISTER_SPACE: Final = range(0xFFB00000, 1 << 32)
BANKS = (0, 1)


def _bytes_of(data: Bytes) -> bytes:
    try:
        return data.tobytes() if isinstance(data, np.ndarray) else memoryview(data).tobytes()
    except TypeError:
        kind = type(data).__name__
        raise BadInputError(
            f"bytes are written, not {kind}: write_array() converts numbers"
        ) from None


class Contents:
    """A tile's memories. ``state`` has all of them, as the hardware keeps them."""

    arch: Arch
    state: TensixState
    engine: Engine

    # ------------------------------------------------------------------ bytes and registers

    def write(self, address: int, data: Bytes) -> None:
        """Write bytes, or an array's, to L1 or as whole words to tile registers, as the NoC would.

        An array's bytes are taken as they are: :meth:`write_array` converts numbers to a format.
        BadInputError for other addresses.
        """
        address = integer("address", address)
        raw = data if isinstance(data, bytes) else _bytes_of(data)
        end = address + len(raw)
        if address >= 0 and end <= self.arch.l1_size:
            self.state.l1_bytes[address:end] = raw
            forget_stuck(self.state.s)
            return
        self._check_registers(address, len(raw))
        for at in range(0, len(raw), WORD_BYTES):
            self.reg_write(address + at, int.from_bytes(raw[at : at + WORD_BYTES], "little"))

    def read(self, address: int, count: int) -> bytes:
        """Read bytes from L1, or whole words from tile registers, as the NoC would.

        BadInputError for other addresses.
        """
        address, count = integer("address", address), integer("count", count)
        if 0 <= address <= address + count <= self.arch.l1_size:
            return self.state.l1_bytes[address : address + count].tobytes()
        self._check_registers(address, count)
        words = [self.reg_read(address + at) for at in range(0, count, WORD_BYTES)]
        return b"".join(word.to_bytes(WORD_BYTES, "little") for word in words)

    def _check_registers(self, address: int, count: int) -> None:
        """Whole registers, of what is not in L1."""
        if address not in REGISTER_SPACE:
            self._check_l1(address, count)
        if count < 0 or address % WORD_BYTES or count % WORD_BYTES:
            raise BadInputError(f"{count} bytes at {address:#x} are not whole 32-bit registers")

    def _check_l1(self, address: int, count: int) -> None:
        size = self.arch.l1_size
        if address < 0 or count < 0 or address + count > size:
            raise BadInputError(
                f"{count} bytes at {address:#x} are not all within L1's {size // 1024} KiB"
            )

    def reg_write(self, address: int, value: int) -> None:
        """Write a 32-bit tile register, e.g. soft reset; BadInputError if there is none."""
        code = self.engine.write_register(checked_address(address), checked_word(value))
        if code != OK:
            raise self.refused(code)

    def reg_read(self, address: int) -> int:
        """Read a 32-bit tile register; BadInputError if there is none."""
        code, value = self.engine.read_register(checked_address(address))
        if code != OK:
            raise self.refused(code)
        return value

    def refused(self, code: int) -> BadInputError:
        """Why an access of the host's has just failed, by its check."""
        fault = self.state.s.fault
        return BadInputError(
            CHECKS[code].message.format(value=int(fault.value), value2=int(fault.value2))
        )

    # ------------------------------------------------------------------ arrays of numbers

    def write_array(
        self,
        address: int,
        array: npt.ArrayLike,
        format: Format = "bf16",  # noqa: A002 - what kernel.toml calls it
        layout: Layout = "tile",
    ) -> int:
        """Write an array to L1 in a format and layout; returns the address after it.

        ``tile`` is 32×32 tiles of four faces, row-major; ``row_major`` the array as it is. The
        last two dimensions of a tiled array are multiples of 32. BadInputError for another format
        or layout, for what these cannot hold, and for addresses outside L1.
        """
        data = to_l1_bytes(array, format, layout)
        self._check_l1(integer("address", address), len(data))
        self.write(address, data)
        return address + len(data)

    def read_array(
        self,
        address: int,
        shape: tuple[int, ...],
        format: Format = "bf16",  # noqa: A002 - what kernel.toml calls it
        layout: Layout = "tile",
    ) -> Numbers:
        """Read an array of a shape from L1: float32, or the integers of the format.

        The errors are those of :meth:`write_array`.
        """
        size = l1_size(shape, format, layout)
        self._check_l1(integer("address", address), size)
        return from_l1_bytes(self.read(address, size), shape, format, layout)

    # ------------------------------------------------------------------ registers as numbers

    def dst(self, format: DstFormat = "bf16", *, undefined: bool = False) -> Numbers:  # noqa: A002
        """Dst as tiles, (16, 32, 32), or (8, 32, 32) in a format of 32 bits; a copy.

        ``bf16``, ``fp16``, ``fp32``, ``int32``, or the stored bits ``raw16``, ``raw32``. Rows that
        ZEROACC left undefined are 0, as instructions read them; with ``undefined``, what is still
        stored there. BadInputError for another format.
        """
        return dst_values(self.arch, self.state.record, format, undefined=undefined)

    def src_a(self, bank: int | None = None, format: SrcFormat = "tf32") -> Numbers:  # noqa: A002
        """A bank of SrcA as rows, (64, 16); a copy. By default the bank that the matrix unit is at.

        ``tf32`` is right for ``bf16`` too, which has fewer bits of mantissa; ``fp16`` and ``int8``
        are for banks that hold these, ``raw`` the 19 bits. BadInputError for another bank or
        format.
        """
        return self._src("src_a", bank, format)

    def src_b(self, bank: int | None = None, format: SrcFormat = "tf32") -> Numbers:  # noqa: A002
        """A bank of SrcB, as :meth:`src_a`."""
        return self._src("src_b", bank, format)

    def _src(self, name: str, bank: int | None, chosen: SrcFormat) -> Numbers:
        record = self.state.record
        number = int(record[f"{name}_matrix_bank"]) if bank is None else bank
        if number not in BANKS:
            raise BadInputError(f"there is no bank {bank!r}: choose 0 or 1")
        return src_values(record[name][number], chosen)

    def lreg(self, number: int, format: LregFormat = "fp32") -> Numbers:  # noqa: A002 - as above
        """The 32 lanes of an LReg, 0 to 16; a copy. BadInputError for another one or format."""
        if number not in range(len(self.state.record["lreg"])):
            raise BadInputError(f"there is no LReg {number!r}: choose 0 to 16")
        return lreg_values(self.state.record["lreg"][number], format)
