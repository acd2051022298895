"""Tasks for who, or what, writes kernels: what must come out, a kernel to begin with, a solution.

A task is a row: of the vector unit in ``vector.toml``, of whole tiles in ``tiles.toml``. ``write``
makes a kernel's folder of it, which `tilelab score` judges as any other.
"""

from tilelab.score.tasks.task import Task, task, tasks, write

__all__ = ["Task", "task", "tasks", "write"]
