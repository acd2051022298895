"""The packers' configuration: each packer's fields, and the features that are not modelled.

Wormhole's four packers have their fields in THCON_SEC0_REG1, SEC0_REG8, SEC1_REG1, SEC1_REG8;
Blackhole's one packer has the first set.

Source: tt-isa-documentation, Packers/*.md; ttsim for what nobody uses.
"""

from tilelab.formats.data_format import DataFormat
from tilelab.sim.checks import Policy, check, fault, fault2, refuse
from tilelab.sim.errors import (
    MissingSpecificationError,
    UndefinedBehaviorError,
    UnimplementedFunctionalityError,
    UnsupportedFunctionalityError,
)
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.packers.early import INTEGER, NO_KIND, early_kind, minus_infinity
from tilelab.tensix.backend.packers.late import late_exists
from tilelab.tensix.backend.semantics import config
from tilelab.tensix.state.records import State


def _feature(field: str, page: str) -> int:
    return check(
        f"pack-{field.lower().replace('_', '-')}",
        UnsupportedFunctionalityError,
        f"the packers' {field} is {{value}}, which is not modelled",
        page=f"Packers/{page}.md",
    )


SHARED_EXPONENT = _feature("Dis_shared_exp_assembler", "FormatConversion")
OUT_FIFO = _feature("Enable_out_fifo", "OutputAddressGenerator")
L1_OFFSET = _feature("Add_l1_dest_addr_offset", "OutputAddressGenerator")
L1_SOURCE = _feature("Source_interface_selection", "InputAddressGenerator")
THRESHOLD = _feature("Exp_threshold_en", "ExponentThresholding")
TILE_HEADER = _feature("Add_tile_header_size", "OutputAddressGenerator")
DOWNSAMPLE = _feature("Downsample_mask", "Downsampling")
DOWNSAMPLE_RATE = _feature("Downsample_rate", "Downsampling")
READ_MODE = _feature("Read_mode", "InputAddressGenerator")
MAX_XY_PLANE = _feature("Force_pack_per_max_xy_plane", "InputAddressGenerator")
AUTO_LAST = _feature("Auto_set_last_pacr_intf_sel", "InputAddressGenerator")
START_INTERFACE = _feature("pack_start_intf_pos", "InputAddressGenerator")
TRANSPOSED = _feature("pack_yz_transposed", "EdgeMasking")
FACE_SET = _feature("PCK_EDGE_TILE_FACE_SET_SELECT_enable", "EdgeMasking")
FIFO = _feature("Pack_fifo_size", "OutputAddressGenerator")
DESCALE = _feature("INT_DESCALE_Enable", "FormatConversion")


def _stochastic(field: str, where: str) -> int:
    return check(
        f"pack-{field.lower().replace('_', '-')}",
        MissingSpecificationError,
        f"{field} asks for stochastic rounding {where}, whose random bits nobody documents: "
        "rounded as without it",
        page="Packers/FormatConversion.md",
        cure="clear it, or compare with a tolerance",
        policy=Policy.WARN,
    )


ADDS = (DataFormat.FP32, DataFormat.FP16, DataFormat.BF16)
"""Formats in which packers can add to what is in L1."""

STOCHASTIC = _stochastic("ALU_ROUNDING_MODE_Packer_srnd_en", "in the packers")
GASKET = _stochastic("ALU_ROUNDING_MODE_Gasket_srnd_en", "before the packers")

INTERMEDIATE = check(
    "pack-intermediate-format",
    UndefinedBehaviorError,
    "the packers read format {value} from Dst and take it for format {value2}",
    page="Packers/FormatConversion.md",
    cure="set ALU_FORMAT_SPEC_REG2_Dstacc and the packer's In_data_format alike",
)
CONVERSION = check(
    "pack-conversion",
    UnimplementedFunctionalityError,
    "packing format {value2} as format {value} is not modelled with this PCK_DEST_RD_CTRL",
    page="Packers/FormatConversion.md",
)
ACCUMULATE_FORMAT = check(
    "pack-accumulate-format",
    UnsupportedFunctionalityError,
    "Pack_L1_Acc needs fp32, fp16 or bf16 in L1, not format {value}",
    page="Packers/README.md",
)
PLANE = check(
    "pack-plane-rows",
    UnsupportedFunctionalityError,
    "pack_reads_per_xy_plane is {value}, not 1 to 16",
    page="Packers/EdgeMasking.md",
    policy=Policy.ERROR,
)
EDGE_INFINITY = check(
    "pack-edge-infinity",
    UnimplementedFunctionalityError,
    "edge masking with minus infinity is not modelled for integers (format {value})",
    page="Packers/EdgeMasking.md",
)
RELU_MODE = check(
    "pack-relu-mode",
    UnsupportedFunctionalityError,
    "STACC_RELU_ApplyRelu {value} is not a mode of the packers for this format",
    page="Packers/ReLU.md",
)
RELU_THRESHOLD = check(
    "pack-relu-threshold",
    UndefinedBehaviorError,
    "the ReLU threshold {value:#x} is negative",
    page="Packers/ReLU.md",
)


@kernel
def packer_field(s: State, t: int, p: int, place: int) -> int:
    """A field of packer ``p``, given the place of packer 0's (THCON_SEC0_REG1_…)."""
    if not p:
        return config(s, t, place)
    own = s.f.THCON_SEC_REG1_L1_Dest_addr[p >> 1]
    if p & 1:
        own = s.f.THCON_SEC_REG8_L1_Dest_addr[p >> 1]
    words = (own >> 16) - (s.f.THCON_SEC0_REG1_L1_Dest_addr >> 16)
    return config(s, t, place + (words << 16) if place else 0)


@kernel
def off(s: State, t: int, p: int, place: int, code: int) -> int:
    """Check that a feature of packer ``p`` is off: OK or the code."""
    value = packer_field(s, t, p, place)
    return fault(s, code, value) if value else OK


@kernel
def intermediate_format(s: State, t: int) -> int:
    """The format that the early conversion yields."""
    if config(s, t, s.f.ALU_FORMAT_SPEC_REG_Dstacc_override):
        return config(s, t, s.f.ALU_FORMAT_SPEC_REG_Dstacc_val)
    return config(s, t, s.f.ALU_FORMAT_SPEC_REG2_Dstacc)


@kernel
def check_features(s: State, t: int, p: int) -> int:
    """Check that nothing is on that is not modelled, for packer ``p``."""
    code = (
        off(s, t, p, s.f.THCON_SEC0_REG1_Dis_shared_exp_assembler, SHARED_EXPONENT)
        or off(s, t, p, s.f.THCON_SEC0_REG1_Enable_out_fifo, OUT_FIFO)
        or off(s, t, p, s.f.THCON_SEC0_REG1_Add_l1_dest_addr_offset, L1_OFFSET)
        or off(s, t, p, s.f.THCON_SEC0_REG1_Source_interface_selection, L1_SOURCE)
        or off(s, t, p, s.f.THCON_SEC0_REG1_Exp_threshold_en, THRESHOLD)
        or off(s, t, p, s.f.THCON_SEC0_REG1_Downsample_rate, DOWNSAMPLE_RATE)
        or off(s, t, p, s.f.THCON_SEC0_REG1_Read_mode, READ_MODE)
        or off(s, t, p, s.f.THCON_SEC0_REG1_Force_pack_per_max_xy_plane, MAX_XY_PLANE)
        or off(s, t, 0, s.f.THCON_SEC0_REG1_Add_tile_header_size, TILE_HEADER)
        or off(s, t, 0, s.f.THCON_SEC0_REG1_Auto_set_last_pacr_intf_sel, AUTO_LAST)
        or off(s, t, 0, s.f.THCON_SEC0_REG1_pack_start_intf_pos, START_INTERFACE)
        or off(s, t, 0, s.f.PACK_COUNTERS_SEC_pack_yz_transposed[p], TRANSPOSED)
        or off(s, t, 0, s.f.PCK_EDGE_TILE_FACE_SET_SELECT_enable, FACE_SET)
        or off(s, t, 0, s.f.INT_DESCALE_Enable, DESCALE)
    )
    if code != OK:
        return code
    stochastic = config(s, t, s.f.ALU_ROUNDING_MODE_Packer_srnd_en)
    if stochastic and refuse(s, STOCHASTIC, stochastic):
        return STOCHASTIC
    gasket = config(s, t, s.f.ALU_ROUNDING_MODE_Gasket_srnd_en)
    if gasket and refuse(s, GASKET, gasket):
        return GASKET
    fifo = s.f.THCON_SEC_REG9_Pack_0_2_fifo_size[p >> 1]
    if p & 1:
        fifo = s.f.THCON_SEC_REG9_Pack_1_3_fifo_size[p >> 1]
    if off(s, t, 0, fifo, FIFO):
        return FIFO
    mask = packer_field(s, t, p, s.f.THCON_SEC0_REG1_Downsample_mask)
    return fault(s, DOWNSAMPLE, mask) if mask and mask != 0xFFFF else OK


@kernel
def read_control(s: State, t: int) -> int:
    """PCK_DEST_RD_CTRL: the bits that ``packers_early`` names."""
    control = config(s, t, s.f.PCK_DEST_RD_CTRL_Read_32b_data)
    control |= config(s, t, s.f.PCK_DEST_RD_CTRL_Read_unsigned) << 1
    control |= config(s, t, s.f.PCK_DEST_RD_CTRL_Read_int8) << 2
    return control | config(s, t, s.f.PCK_DEST_RD_CTRL_Round_10b_mant) << 3


@kernel
def read_kind(s: State, t: int, p: int) -> int:
    """The kind of data that packer ``p`` reads: what the early conversion yields."""
    in_format = packer_field(s, t, p, s.f.THCON_SEC0_REG1_In_data_format)
    return early_kind(s, in_format, read_control(s, t))


@kernel
def check_relu(s: State, t: int, p: int) -> int:
    """Check ReLU's mode and threshold against the format of the data."""
    mode = config(s, t, s.f.STACC_RELU_ApplyRelu)
    threshold = config(s, t, s.f.STACC_RELU_ReluThreshold)
    in_format = packer_field(s, t, p, s.f.THCON_SEC0_REG1_In_data_format)
    kind = read_kind(s, t, p)
    if mode > 3 or (mode and kind == INTEGER and (mode > 1 or in_format != DataFormat.INT32)):
        return fault(s, RELU_MODE, mode)
    if mode and threshold & 0x8000:
        return fault(s, RELU_THRESHOLD, threshold)
    return OK


@kernel
def check_packer(s: State, t: int, p: int) -> int:
    """Check packer ``p``'s configuration: features, conversion, accumulation, edges."""
    code = check_features(s, t, p)
    if code != OK:
        return code
    in_format = packer_field(s, t, p, s.f.THCON_SEC0_REG1_In_data_format)
    out_format = packer_field(s, t, p, s.f.THCON_SEC0_REG1_Out_data_format)
    intermediate = intermediate_format(s, t)
    if intermediate != in_format:
        return fault2(s, INTERMEDIATE, intermediate, in_format)
    kind = read_kind(s, t, p)
    if kind == NO_KIND or not late_exists(kind, in_format, out_format):
        return fault2(s, CONVERSION, out_format, in_format)
    if packer_field(s, t, p, s.f.THCON_SEC0_REG1_Pack_L1_Acc) and out_format not in ADDS:
        return fault(s, ACCUMULATE_FORMAT, out_format)
    rows = config(s, t, s.f.PACK_COUNTERS_SEC_pack_reads_per_xy_plane[p])
    if (rows < 1 or rows > 16) and refuse(s, PLANE, rows):
        return PLANE
    if config(s, t, s.f.PCK_EDGE_MODE_mode) and minus_infinity(kind) < 0:
        return fault(s, EDGE_INFINITY, in_format)
    return OK
