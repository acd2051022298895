"""What is changed in a kernel's source before g++ sees it: launches, and the macro that names the
CPU simulator; and the instructions that would run unseen, in pto-isa's list of them and where a
kernel calls what is behind one (``TADD_IMPL``).

``kernel<T, 16><<<blocks, l2, stream>>>(a, b)`` becomes a call that g++ knows; lines stay where they
are. A kernel that asks for ``__CPU_SIM`` is shown the NPU: what it does for the vendor's simulator,
which has no synchronisation (one Vector core, say), is not what is checked here.
"""

import re

from tilelab.pto.errors import IRError

_NAME = re.compile(r"(::)?\b[A-Za-z_]\w*(::[A-Za-z_]\w*)*$")
_TOKEN = re.compile(r"->|<<|[<>]=|[<>(){}\[\]]")
_SKIP = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)


def rewrite(text: str, path: str) -> str:
    """The source that is compiled; it names ``path`` and its lines as its own."""
    blank = _SKIP.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    pieces: list[str] = []
    done = 0
    for found in re.finditer("<<<", blank):
        if found.start() < done:
            continue
        line = text.count("\n", 0, found.start()) + 1
        start = _callee(blank, found.start())
        close = blank.find(">>>", found.end())
        if start is None or close < 0:
            raise IRError(f"{path}: a launch <<<...>>> that cannot be read", line)
        opening = close + 3 + len(blank[close + 3 :]) - len(blank[close + 3 :].lstrip())
        if blank[opening : opening + 1] != "(":
            raise IRError(f"{path}: a launch <<<...>>> without arguments in parentheses", line)
        end = _closing(blank, opening)
        if end is None:
            raise IRError(f"{path}: the launch's parentheses do not close", line)
        callee, config = text[start : found.start()], text[found.end() : close]
        arguments = text[opening + 1 : end]
        comma = "," if arguments.strip() else ""
        pieces.append(text[done:start])
        pieces.append(
            f"::tilelab::launch([](auto... tl_args) {{ {callee}(tl_args...); }}, "
            f"::tilelab::blocks({config}){comma} {arguments})"
        )
        done = end + 1
    out = "".join([*pieces, text[done:]])
    out = re.sub(r"\b__CPU_SIM\b", "__TILELAB_NOT_THE_SIMULATOR", out)
    return f'#line 1 "{path}"\n{_scoped(out, _BEHIND)}'


_BEHIND = re.compile(r"^[ \t]+(T[A-Z0-9]+)_IMPL(?=\s*[<(])", re.MULTILINE)
# Instructions that pto-isa's header runs without its trace macro, in some of their forms.
_UNTOLD = re.compile(
    r"^[ \t]+(MGATHER|MSCATTER|TADDDEQRELU|TDEINTERLEAVE|TFILLPAD|TFMODS?|TGATHER|TINSERT|TMRGSORT|"
    r"TPOWS?|TQUANT|TREMS?|TSCATTER)_IMPL(?=\s*[<(])",
    re.MULTILINE,
)
_QUANT = {"dst": "O", "exp": "O", "max": "O", "scaling": "O", "exp_zz": "O", "tmp": "S"}


def told(text: str, path: str) -> str:
    """pto-isa's ``pto_instr.hpp``, with its macro at every instruction on tiles: what an
    instruction reads and writes is told there.
    """
    return f'#line 1 "{path}"\n{_scoped(text, _UNTOLD)}'


def _scoped(text: str, calls: re.Pattern[str]) -> str:
    """The text with the macro at these calls."""
    pieces: list[str] = []
    done = 0
    for found in calls.finditer(text):
        end = text.find(");", found.end())
        if end < 0:
            break
        arguments = " ".join(text[_opening(text, end) + 1 : end].split())
        call = text[found.start(1) : end + 2]
        pieces.append(text[done : found.start(1)])
        scope = f"PTO_INSTR_SCOPE({found[1]}, {arguments})"
        if found[1] == "TQUANT":  # its forms have as many operands, and other results
            letters = "".join(_QUANT.get(one.strip(), "I") for one in arguments.split(","))
            scope = f'PTO_INSTR_SCOPE_ROLES(TQUANT, "{letters}", {arguments})'
        pieces.append(f"{{ {scope}; {call} }}")
        done = end + 2
    return "".join([*pieces, text[done:]])


def _callee(text: str, end: int) -> int | None:
    """Where the name begins: ``ns::name<...>`` before ``end``, or a macro that makes one."""
    at = len(text[:end].rstrip())
    if at and text[at - 1] == ">":
        opened = _template_opening(text, at)
        if opened is None:
            return None
        at = len(text[:opened].rstrip())
    if at and text[at - 1] == ")":
        at = len(text[: _opening(text, at - 1)].rstrip())
    name = _NAME.search(text, max(0, at - 400), at)
    return name.start() if name else None


def _template_opening(text: str, end: int) -> int | None:
    """The ``<`` that belongs to the ``>`` before ``end``.

    As in C++, what stands in parentheses or brackets is no bracket of the template; nor are the
    operators ``->``, ``<<``, ``<=`` and ``>=``.
    """
    depth = nested = 0
    for token in reversed(list(_TOKEN.finditer(text, text.rfind(";", 0, end) + 1, end))):
        word = token[0]
        if word in "{}":
            return None
        if word in ")]":
            nested += 1
        elif word in "([":
            nested -= 1
            if nested < 0:
                return None
        elif word == ">" and not nested:
            depth += 1
        elif word == "<" and not nested:
            depth -= 1
            if not depth:
                return token.start()
    return None


def _opening(text: str, closing: int) -> int:
    depth = 0
    for at in range(closing, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if not depth:
            return at
    return 0


def _closing(text: str, opening: int) -> int | None:
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if not depth:
            return at
    return None
