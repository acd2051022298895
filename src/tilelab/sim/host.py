"""What the computer is that tilelab runs on."""

import os
import sys


def cores() -> int:
    """How many processors this process may run on at once."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
