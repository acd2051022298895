"""Heat maps of Dst, SrcA and SrcB, decoded: rows where instructions find them, bits as numbers.

Dst is shown as tiles of 32×32 data: four faces of 16 rows, as unpackers and packers lay them out.
"""

from typing import Any

import numpy as np

from tilelab.formats.layout import FACE, TILE
from tilelab.sim.record import Record
from tilelab.tensix.arch import Arch
from tilelab.tensix.backend.dst import DST_ROWS, LOW_HALF
from tilelab.tensix.backend.src_registers import SRC_ROWS
from tilelab.tensix.tile.values import TILE_ROWS, decoded, places
from tilelab.trace.page.columns import Numbers, stepwise

PICTURES = ("dst", "dst_valid", "src_a", "src_b")
"""Shown as heat maps; every other register by name."""


def maps(arch: Arch, records: list[Record]) -> tuple[dict[str, Any], dict[str, Numbers]]:
    """What can be shown of register files in each frame, and the columns that hold it.

    A reading of Dst names the columns of its data (and of a table of their values, if they are
    indices) and of the flags of its rows; flags come one for each line of a face.
    """
    rows = np.stack([np.asarray(record["dst"]) for record in records])
    valid = np.stack([np.asarray(record["dst_valid"]) for record in records])
    data16, flags16, data32, flags32 = [], [], [], []
    for frame, record in enumerate(records):
        at = places(arch, record, wide=False)
        data16.append(rows[frame, at])
        flags16.append(valid[frame, at])
        at = places(arch, record, wide=True)
        high, low = (rows[frame, half].astype(np.int64) for half in (at, at + LOW_HALF))
        data32.append(decoded(high << 16 | low, "fp32").view(np.uint32))
        flags32.append(valid[frame, at])
    values, index = np.unique(np.stack(data16), return_inverse=True)
    wide = values.astype(np.int64)
    columns: dict[str, Numbers] = {
        "dst16": stepwise(index.reshape(len(records), -1).astype(np.uint16)),
        "dst16_valid": stepwise(np.stack(flags16).reshape(len(records), -1)),
        "dst32": stepwise(np.stack(data32).reshape(len(records), -1).astype(np.uint32)),
        "dst32_valid": stepwise(np.stack(flags32).reshape(len(records), -1)),
        "dst_bf16": decoded(wide, "bf16"),
        "dst_fp16": decoded(wide, "fp16"),
        "dst_bits": values.astype(np.float32),
    }
    for name in ("src_a", "src_b"):
        banks = np.stack([np.asarray(record[name]).reshape(-1) for record in records])
        columns[name] = stepwise(banks.astype(np.uint32))
    return {"dst": _readings(arch, records[-1]), "src": _banks()}, columns


def _readings(arch: Arch, record: Record) -> dict[str, Any]:
    halves = {"data": "dst16", "valid": "dst16_valid", "tiles": DST_ROWS // TILE_ROWS}
    wholes = {"data": "dst32", "valid": "dst32_valid", "tiles": DST_ROWS // TILE_ROWS // 2}
    field = arch.config_fields["ALU_ACC_CTRL_Fp32_enabled"]
    is_wide = int(record["config"][0, field.word]) >> field.lo & 1
    return {
        "readings": {
            "bf16": {**halves, "values": "dst_bf16"},
            "fp16": {**halves, "values": "dst_fp16"},
            "fp32": wholes,
            "raw 16 bits": {**halves, "values": "dst_bits"},
        },
        "usual": "fp32" if is_wide else "bf16",
        "width": TILE,
        "height": TILE,
        "line": FACE,
        "rows": TILE_ROWS,
    }


def _banks() -> dict[str, Any]:
    names = {"src_a": "SrcA", "src_b": "SrcB"}
    found = [[f"{name} bank {bank}", key, bank] for key, name in names.items() for bank in range(2)]
    return {"banks": found, "width": FACE, "height": SRC_ROWS}
