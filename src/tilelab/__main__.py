"""``tilelab`` and ``python -m tilelab``: Ctrl-C ends it in one line, from its first moment on.

So does SIGTERM, by which others end it: drafts of files and temporary folders go either way.
"""

import atexit
import gc
import os
import signal
import sys
from types import FrameType
from typing import Any

INTERRUPTED = 130
ENDING = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
"""What ends it, and who handles that unless whoever started it has said otherwise."""


def _leave(number: int, frame: FrameType | None) -> None:
    """End at once: what is being imported would make a traceback of an exception."""
    os.write(2, b"tilelab: interrupted\n")
    os._exit(INTERRUPTED)


def _handle(numbers: list[signal.Signals], handler: Any) -> None:
    for number in numbers:
        signal.signal(number, handler)


def main() -> int:
    """Run the command line; returns the exit code."""
    mine = [number for number, usual in ENDING.items() if signal.getsignal(number) is usual]
    _handle(mine, _leave)
    gc.disable()  # what is imported stays: to look for garbage in it takes a tenth of a start
    from tilelab.cli.main import main as run  # noqa: PLC0415 - importing takes a while

    def ready() -> None:
        gc.freeze()
        gc.enable()
        # from there on it is an exception, which the command line makes one line of
        _handle(mine, signal.default_int_handler)

    code = run(ready=ready)
    # all is said and done; the interpreter's end is no time for a traceback
    _handle(mine, signal.SIG_IGN)
    if code == INTERRUPTED:
        # an interrupt that went through exec() makes Python end itself by the signal, not by this
        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
