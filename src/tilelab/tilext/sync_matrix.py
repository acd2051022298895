"""The document's matrix of synchronisation: which mechanism orders whom (seed lines 413-419)."""

from dataclasses import dataclass

SCOPES = {
    "en": ("tile core, in a thread", "CPU and tile core, in a thread", "threads of a PE", "cluster",
           "chip", "several chips"),
    "zh": ("thread内Tile Core指令同步", "thread内CPU和Tile Core同步", "PE内多线程同步",
           "cluster内同步", "chip内同步", "多chip间同步"),
}  # fmt: skip


@dataclass(frozen=True)
class Mechanism:
    """One row: in which of :data:`SCOPES` it synchronises, and what the document says of it."""

    name: str
    scopes: tuple[bool, ...]
    en: str
    zh: str
    line: int


def _row(name: str, marks: str, line: int, en: str, zh: str) -> Mechanism:
    return Mechanism(name, tuple(mark == "x" for mark in marks), en, zh, line)


MATRIX = (
    _row("t_wait", "xx----", 414, "ends of the units; the RV core waits for chosen modules",
         "各个硬件单元的同步控制，RV Core可根据该信号等待特定模块的执行结束"),
    _row("t_sync", "--xx--", 415, "between threads; does not see the tile core's modules",
         "多个thread间的同步控制，不可监控tile core的各个模块的运行状态"),
    _row("DTE group wait", "x-----", 416, "waits for one group of DTE instructions",
         "该指令一直等待特定的group指令完成后再允许后续指令执行"),
    _row("mbarrier", "x-xxx-", 417, "memory accesses and threads, fine-grained; only in L2B",
         "细粒度的访存和thread的同步，仅能写到L2B"),
    _row("semaphore", "x-xxxx", 418, "to be confirmed whether it overlaps the above",
         "TODO: 待确认是否和上述功能重叠"),
    _row("atomic", "--xxxx", 419, "in every scope", "全范围的同步机制"),
)  # fmt: skip
