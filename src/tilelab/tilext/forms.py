"""What each instruction is, beside its bits: one row each, which every other module asks.

An overlay's new instruction takes the form of one that is here (``like``) or of a verb of
:data:`OVERLAY_FORMS`, which the document names without an encoding (seed lines 416-419).
"""

from dataclasses import dataclass

LOAD, STORE = "load", "store"


@dataclass(frozen=True)
class Form:
    """An instruction's section of the document and what it does.

    ``space`` and ``mode`` say where and how it accesses memory, or which variant of the verb it
    is. ``func6`` is the register file and ``direction`` the transfer of its ASP word; ``counter``
    counts it while it is outstanding; ``gprs`` are operands that hold a GPR's number although
    their name does not say so.
    """

    family: str
    verb: str
    space: str = ""
    mode: str = ""
    counter: str = ""
    func6: str = "vector"
    direction: str = STORE
    gprs: tuple[str, ...] = ()


FORMS = {
    "tgld.unit": Form("memory", "load", "global", "unit", "tgld"),
    "tgst.unit": Form("memory", "store", "global", "unit", "tgst"),
    "tsld.unit": Form("memory", "load", "share", "unit", "tsld"),
    "tsst.unit": Form("memory", "store", "share", "unit", "tsst"),
    "tgld.stride": Form("memory", "load", "global", "stride", "tgld"),
    "tgst.stride": Form("memory", "store", "global", "stride", "tgst"),
    "tsld.stride": Form("memory", "load", "share", "stride", "tsld"),
    "tsst.stride": Form("memory", "store", "share", "stride", "tsst"),
    "tgld.index": Form("memory", "load", "global", "index", "tgld"),
    "tgst.index": Form("memory", "store", "global", "index", "tgst"),
    "tsld.index": Form("memory", "load", "share", "index", "tsld"),
    "tsst.index": Form("memory", "store", "share", "index", "tsst"),
    "tsatom.rd": Form("atomic", "atomic", "share", "rd"),
    "tsatom.nord": Form("atomic", "atomic", "share", "nord"),
    "tgatom.tile": Form("atomic", "atomic", "global", "tile"),
    "tsatom.tile": Form("atomic", "atomic", "share", "tile"),
    "tma.copy": Form("tma", "copy", counter="tma"),
    "tcsr": Form("tcsr", "csr_read"),
    "tcsrw": Form("tcsr", "csr_write"),
    "mma.tt": Form("mma", "mma", counter="mma"),
    "mma.tv": Form("mma", "mma", counter="mma"),
    "mma.vt": Form("mma", "mma", counter="mma"),
    "mma.vv": Form("mma", "mma", counter="mma"),
    "tmv.t.v": Form("move", "vector_to_tile"),
    "tmv.v.t": Form("move", "tile_to_vector", direction=LOAD),
    "tmv.t.x": Form("move", "scalar_to_tile", func6="grf"),
    "tmv.x.t": Form("move", "tile_to_scalar", func6="grf", direction=LOAD),
    "tmv.t.f": Form("move", "scalar_to_tile", func6="frf"),
    "tmv.f.t": Form("move", "tile_to_scalar", func6="frf", direction=LOAD),
    "talu.1op": Form("talu", "talu", counter="alu"),
    "talu.2op.v": Form("talu", "talu", counter="alu"),
    "talu.3op": Form("talu", "talu", counter="alu"),
    "talu.3op.f": Form("talu", "talu", counter="alu", func6="frf"),
    "t_sync.reg": Form("sync", "sync", gprs=("sync_id",)),
    "t_sync.imm": Form("sync", "sync"),
    "t_wait.mem": Form("sync", "wait", mode="mem"),
    "t_wait.tma": Form("sync", "wait", mode="tma"),
    "t_wait.mma": Form("sync", "wait", mode="mma"),
    "t_wait.alu": Form("sync", "wait", mode="alu"),
    "t_wait.all": Form("sync", "wait", mode="all"),
}

OVERLAY_FORMS = {
    "group_wait": Form("sync", "wait", mode="tma"),
    "mbarrier_wait": Form("sync", "wait", mode="mbarrier"),
    "user": Form("user", "user"),
}
