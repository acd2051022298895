"""A tile set up for one unpacker or packer, for tests to vary."""

from tilelab.sim.checks import CHECKS
from tilelab.tensix.arch import arch
from tilelab.tensix.chips.config_registers import config_fields
from tilelab.tensix.run.execute import execute
from tilelab.tensix.state import THREADS, TensixState

BASE = 0x20000
"""Where tiles are in L1 (after the header of 16 bytes that addresses include)."""


class Bench:
    """A tile, and shorthands to configure and execute."""

    def __init__(self, chip: str) -> None:
        self.state = TensixState(arch(chip))
        self.chip = chip
        self.record = self.state.record
        self.s = self.state.s

    def issue(self, name: str, thread: int = 0, **fields: int) -> int:
        """Execute an instruction; the code."""
        row = self.state.arch.instructions[name]
        return execute(self.s, thread, row.encode(**fields))

    def refused(self, name: str, thread: int = 0, **fields: int) -> str:
        """Execute an instruction that must fail a check and change nothing; the check's name."""
        before = self.record.copy(), self.state.l1.copy()
        code = self.issue(name, thread, **fields)
        assert code > 0
        names = [n for n in before[0].dtype.names if not n.startswith(("scratch", "fault"))]
        changed = [n for n in names if (self.record[n] != before[0][n]).any()]
        assert set(changed) <= {"pack_position"}
        assert (before[1] == self.state.l1).all()
        return CHECKS[code].name

    def set(self, **fields: int) -> None:
        """Set configuration fields by name: Config's bank 0, every thread's ThreadConfig."""
        for name, value in fields.items():
            in_config = config_fields(self.chip)[name].space == "c"
            for bank in range(1 if in_config else THREADS):
                self.state.set_config_field(name, value, bank)

    def unpacker(self, u: int, in_format: int, out_format: int, count: int = 256) -> None:
        """Configure an unpacker for ``count`` data of a 16×16 face at BASE, to row 0."""
        sec = f"THCON_SEC{u}"
        self.set(**{f"{sec}_REG0_TileDescriptor": in_format | 1 << 4 | 256 << 16})
        word = 1 + (self.s.f.THCON_SEC_REG0_TileDescriptor[u] >> 16)
        self.record["config"][0, word] = 1 | 4 << 16
        self.set(
            **{
                f"{sec}_REG2_Out_data_format": out_format,
                f"{sec}_REG2_Disable_zero_compress_cntx0": 1,
                f"{sec}_REG3_Base_address": (BASE >> 4) - 1,
            }
        )
        if u == 0:
            self.set(
                THCON_SEC0_REG5_Dest_cntx0_address=64,
                THCON_SEC0_REG5_Tile_x_dim_cntx0=256,
                SRCA_SET_SetOvrdWithAddr=1,
            )
        self.record["adc"]["x"][0, u] = (0, count - 1)

    def unpack(self, u: int, **fields: int) -> int:
        """Issue the UNPACR that kernels use."""
        return self.issue("UNPACR", unpack_block_selection=u, ovrd_thread_id=1, last=1, **fields)

    def packer(self, in_format: int, out_format: int, wide: int = 0, count: int = 16) -> None:
        """Configure all packers to read Dst from row 0 and write at BASE."""
        self.set(
            ALU_FORMAT_SPEC_REG2_Dstacc=in_format,
            PCK_DEST_RD_CTRL_Read_32b_data=wide,
            PCK0_ADDR_CTRL_XY_REG_0_Ystride=32,
            PCK_EDGE_OFFSET_SEC0_mask=0xFFFF,
            ADDR_MOD_PACK_SEC0_YsrcIncr=0,
        )
        registers = ("SEC0_REG1", "SEC0_REG8", "SEC1_REG1", "SEC1_REG8")
        for p, name in enumerate(registers):
            self.set(
                **{
                    f"THCON_{name}_In_data_format": in_format,
                    f"THCON_{name}_Out_data_format": out_format,
                    f"THCON_{name}_L1_Dest_addr": (BASE + 0x1000 * p >> 4) - 1,
                    f"PACK_COUNTERS_SEC{p}_pack_reads_per_xy_plane": 16,
                }
            )
        self.record["adc"]["x"][2, 2] = (0, count - 1)

    def bytes_at(self, address: int, count: int) -> bytes:
        """Bytes of L1."""
        return self.state.l1[address : address + count].tobytes()

    def put(self, data: bytes, address: int = BASE) -> None:
        """Write bytes to L1."""
        self.state.l1[address : address + len(data)] = memoryview(data)
