"""How the recordings of unpacks and packs name parts of the state."""

from typing import Any

from reference_data import ragged
from tilelab.sim.record import Record

SCALARS = {
    "a_ubank": "src_a_unpack_bank",
    "a_mbank": "src_a_matrix_bank",
    "b_ubank": "src_b_unpack_bank",
    "b_mbank": "src_b_matrix_bank",
}
FORMATS = {
    "fmtA0": ("src_a", 0),
    "fmtA1": ("src_a", 1),
    "fmtB0": ("src_b", 0),
    "fmtB1": ("src_b", 1),
}


def put_adc(record: Record, thread: int, names: list[str], values: Any) -> None:
    for unit in range(3):
        for name, value in zip(names, values[unit], strict=True):
            channel, _, counter = name.partition("_")
            record["adc"][counter][thread, unit, int(channel[-1])] = value


def put_state(record: Record, names: list[str], values: Any) -> None:
    for name, value in zip(names, values.tolist(), strict=True):
        if name in SCALARS:
            record[SCALARS[name]] = value
        elif name in FORMATS:
            field, bank = FORMATS[name]
            record[f"{field}_format"][bank] = value
        else:
            record[f"src_{name[0]}_valid"] = (value & 1, value >> 1)


def configure(record: Record, data: dict[str, Any], case: int, thread: int) -> None:
    registers, values = ragged(data, "cfg", case, "reg", "val")
    record["config"][0][registers] = values
    registers, values = ragged(data, "thr", case, "reg", "val")
    record["thread_config"][thread][registers] = values
