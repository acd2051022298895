"""What the computer is that tilelab runs on."""

import os
import sys

from tilelab.sim.errors import BadInputError


def cores() -> int:
    """How many processors this process may run on at once."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def how_many(jobs: int | None) -> int:
    """As many as somebody wants at once, a core each by default; BadInputError for no number."""
    if jobs is None:
        return cores()
    if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1:
        raise BadInputError(f"jobs is a number from 1, not {jobs!r}")
    return jobs
