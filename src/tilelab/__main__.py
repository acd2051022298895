"""``tilelab`` and ``python -m tilelab``: Ctrl-C ends it in one line, from its first moment on."""

import atexit
import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130


def _leave(number: int, frame: FrameType | None) -> None:
    """End at once: what is being imported would make a traceback of an exception."""
    os.write(2, b"tilelab: interrupted\n")
    os._exit(INTERRUPTED)


def _interruptible() -> None:
    """From now on Ctrl-C is an exception, which the command line makes one line of."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def main() -> int:
    """Run the command line; returns the exit code."""
    mine = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if mine:
        signal.signal(signal.SIGINT, _leave)
    from tilelab.cli.main import main as run  # noqa: PLC0415 - importing takes a while

    code = run(ready=_interruptible if mine else lambda: None)
    if mine:  # all is said and done; the interpreter's end is no time for a traceback
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if code == INTERRUPTED:
        # an interrupt that went through exec() makes Python end itself by the signal, not by this
        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
