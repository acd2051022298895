"""The table of performance counters in cycles.md."""

from collections.abc import Callable, Iterator

from tilelab.sim.texts import columns, paragraphs


def _names(text: str) -> str:
    return ", ".join(
        f"`{name}`" if name.isupper() or "_" in name else name for name in text.split(", ")
    )


def counters_table() -> Iterator[str]:
    """Yield what each counter counts, then those that are not modelled."""
    modelled, missing = paragraphs("tilelab.tensix.tables", "performance_counters.txt")
    yield "| counters | cycles in which | known from |"
    yield "|---|---|---|"
    for names, meaning, source in map(columns, modelled):
        yield f"| {_names(names)} | {meaning} | {source} |"
    yield ""
    yield "| not modelled | why |"
    yield "|---|---|"
    for names, why in map(columns, missing):
        yield f"| {_names(names)} | {why} |"


PARTS: dict[str, Callable[[], Iterator[str]]] = {"performance-counters": counters_table}
