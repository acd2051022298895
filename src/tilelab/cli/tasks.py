"""``tilelab tasks``: what there is to solve."""

from tilelab.cli.console import stdout
from tilelab.cli.streams import print_json
from tilelab.cli.tables import Rows
from tilelab.cli.usage import JSON, Only, argument, command, flag
from tilelab.score.tasks import Task, task
from tilelab.score.tasks import tasks as all_tasks

VERSION = 1


@command(rules=(Only("solution", "name"),))
def tasks(
    name: str | None = argument("NAME", "Show this task's kernel.toml and source.", default=None),
    solution: bool = flag("Show its solution, too."),
    json: bool = JSON,
) -> None:
    """List the tasks that tilelab new --task makes folders of, or show one."""
    some = [task(name)] if name is not None else [*all_tasks().values()]
    if json:
        print_json({"version": VERSION, "tasks": [_entry(one, solution) for one in some]})
    elif name is not None:
        said = some[0].kernel_toml("blackhole"), some[0].source(solved=solution)
        stdout.print("\n".join(said), markup=False, highlight=False)
    else:
        chips = sorted({chip for one in some for chip in one.cycles})
        table = Rows(("task", ">grade", *(f">{chip}" for chip in chips), "what must come out"))
        for one in some:
            cycles = [f"{one.cycles.get(chip, 0):,}" for chip in chips]
            table.add(one.name, str(one.grade), *cycles, one.expect)
        stdout.print(table)
        stdout.print(f"{len(some)} tasks, and the cycles that their solutions take")


def _entry(one: Task, solution: bool) -> dict[str, object]:
    made: dict[str, object] = {
        "name": one.name,
        "grade": one.grade,
        "expect": one.expect,
        "inputs": one.inputs,
        "cycles": dict(one.cycles),
    }
    return made | ({"solution": one.source(solved=True)} if solution else {})
