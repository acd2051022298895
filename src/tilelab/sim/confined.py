"""What a process may do to the rest of the machine, by Linux's Landlock.

A process puts the restrictions on itself, hands them on to all that it starts, and cannot take
them off again. They need no privileges (landlock(7)).
"""

import ctypes
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""System calls, of the same numbers on all processors."""
VERSION: Final = 1
PATH_BENEATH: Final = 1
NO_NEW_PRIVILEGES: Final = 38
WRITE_FILE: Final = 1 << 1
WRITES: Final = ((1, WRITE_FILE | 0b1_1111_1111 << 4), (2, 1 << 13), (3, 1 << 14))
"""By the version that brought them: write, remove, make; rename across folders; cut off."""
TCP: Final = 0b11
"""To bind and to connect, from version 4 on."""
OTHERS: Final = 0b11
"""To reach abstract sockets of others, and to send others signals, from version 6 on."""


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def _call(number: int, *given: object) -> int:
    return int(ctypes.CDLL(None, use_errno=True).syscall(number, *given))


def version() -> int:
    """Landlock's version here; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, _call(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(VERSION)))


def confine(folders: Iterable[Path]) -> bool:
    """Have this process, and what it starts, write beneath these folders alone, and to /dev/null.

    From version 4 of Landlock on it can also use no TCP, from 6 on signal no process that was there
    before. Files that are open stay so. Returns whether anything was restricted; OSError if
    Landlock is there and does not do it.
    """
    there = version()
    if not there:
        return False
    files = sum(rights for since, rights in WRITES if since <= there)
    rules = _Ruleset(files, TCP if there >= 4 else 0, OTHERS if there >= 6 else 0)
    size = ctypes.c_size_t(8 if there < 4 else 16 if there < 6 else 24)
    ruleset = _checked(_call(CREATE_RULESET, ctypes.byref(rules), size, ctypes.c_uint32(0)))
    try:
        for folder in folders:
            _allow(ruleset, folder, files)
        _allow(ruleset, Path(os.devnull), WRITE_FILE)
        libc = ctypes.CDLL(None, use_errno=True)
        _checked(libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
        _checked(_call(RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)))
    finally:
        os.close(ruleset)
    return True


def _allow(ruleset: int, path: Path, rights: int) -> None:
    at = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _Beneath(rights, at)
        given = ctypes.c_int(ruleset), ctypes.c_int(PATH_BENEATH), ctypes.byref(rule)
        _checked(_call(ADD_RULE, *given, ctypes.c_uint32(0)))
    finally:
        os.close(at)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
