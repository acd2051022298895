"""Blackhole's registers of the NoC."""

from tilelab.tensix.tables.noc_registers import NocRegisters

NOC = NocRegisters(
    stride=0x800,
    coordinate_shift=0,
    data=0x28,
    go=0x40,
    node_id=0x44,
    logical_id=0x148,
    width=17,
    height=12,
    read_alignment=64,
    stream_source=0x10,
    stream_start=0x20,
    stream_size=0x28,
    stream_update=0x438,
    stream_space=0x4A4,
    inline_to_l1=0,
    streams=64,
)
