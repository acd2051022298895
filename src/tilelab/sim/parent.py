"""Children that must not outlive the process that started them, however it ends."""

import ctypes
import os
import signal
import sys
from typing import Final

PR_SET_PDEATHSIG: Final = 1


def die_with(parent: int) -> None:
    """Have the system kill this process when its parent ends; ends it if that has happened.

    To be called in the child. Linux alone can do this; elsewhere a child may live on.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # it ended before the line above
