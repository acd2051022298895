"""Signals handled otherwise for a while: Ctrl-C held back where it would do harm."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any


@contextmanager
def heard_by(number: int, handler: Callable[[int, FrameType | None], Any]) -> Iterator[Any]:
    """Have a signal handled so until the end; what handled it before is given.

    Only the main thread hears one, whichever thread the system tells: elsewhere this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield None
        return
    before = signal.signal(number, handler)
    try:
        yield before
    finally:
        signal.signal(number, before)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C, and SIGTERM if it is handled, back until the end.

    It is forgotten if the body fails.
    """
    held: list[tuple[int, FrameType | None]] = []
    before: dict[int, Any] = {}
    with ExitStack() as stack:
        for number in signal.SIGINT, signal.SIGTERM:
            if callable(signal.getsignal(number)):
                hearing = heard_by(number, lambda *given: held.append(given))
                before[number] = stack.enter_context(hearing)
        yield
    if held:
        before[held[0][0]](*held[0])
