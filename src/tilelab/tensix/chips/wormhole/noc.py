"""Wormhole's registers of the NoC."""

from tilelab.tensix.tables.noc_registers import NocRegisters

NOC = NocRegisters(
    stride=0x400,
    coordinate_shift=4,
    data=0x24,
    go=0x28,
    node_id=0x2C,
    logical_id=0x138,
    width=10,
    height=12,
    read_alignment=32,
    stream_source=0x00,
    stream_start=0x0C,
    stream_size=0x10,
    stream_update=0x88,
    stream_space=0x100,
    inline_to_l1=1,
    streams=64,
)
