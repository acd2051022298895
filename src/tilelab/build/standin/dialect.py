"""What the vendor's GCC accepts and others do not, put in other words.

The first two work on preprocessed C++, which keeps its line numbers; the last on assembly.
"""

import re

from tilelab.sim.errors import BadInputError
from tilelab.tensix.words.ttinsn import to_ttinsn

_LAMBDA = re.compile(r"\]\s*(__attribute__\s*\(\(\s*\w+\s*\)\))\s*\(")
_UNROLL = re.compile(r"^([ \t]*#pragma )GCC unroll (.+?)[ \t]*$", re.MULTILINE)
_CLANG_UNROLL = re.compile(r"^([ \t]*#pragma clang loop )unroll_count\(.+?\)[ \t]*$", re.MULTILINE)
_NAKED = re.compile(r"\b(?:__naked__|naked)\b")
_FUNCTION = re.compile(
    r"(?:[^(){};]|\([^(){};]*\))*?[)\]]{2}[^(){};]*?(?P<name>\w+)\s*\([^(){};]*\)\s*\{"
)
_NUMBER = re.compile(r'"n"(?=\s*\()')
_NO_RETURN = re.compile(r"\[\[([^][]*)\]\](?=\s*\w+\s*\(\s*\*)")
_DEFAULTS = re.compile(
    r"\btemplate\s*<((?:[^<>(){};,]+=[^<>(){};,]+,?)+)>\s*(?:\[\[[^][]*\]\]\s*)?"
    r"(?:(?:inline|static|constexpr|void|__attribute__\s*\(\([^()]*\)\))\s+)+(?P<name>\w+)\s*\("
)
_NEEDLESS = re.compile(r"(\.|->|::)\s*\btemplate\s+(?!operator\b)(?=\w+\s*\()")
_ARRAYS = re.compile(
    r"(\btemplate\s*<[^<>(){};=]+>\s*using\s+\w+\s*=\s*[\w:\s]+\[)\s*(\w+)\s*(?=\]\s*;)"
)
_TEMPLATES = re.compile(r"(\btemplate\s*<[^<>(){};]*[<,]\s*)size_t(?=\s*>\s*class\s+\w+\s*[,>])")
_WORD = re.compile(r"^(\s*)\.ttinsn\s+([^#\n]+?)\s*(#.*)?$")
_REGISTER = re.compile(r"^[ast]\d+$")
_LABEL = re.compile(r"^([.\w$]+):")
_MOVES_FRAME = re.compile(r"^\s*addi\s+sp,\s*sp,\s*-?\d+\b")
_SAVES = re.compile(r"^\s*[sl]w\s+(?:ra|s\d+),\s*\d+\(sp\)")
_BY_HAND = {"#APP": True, "#NO_APP": False}


def for_clang(text: str) -> tuple[str, list[str]]:
    """A preprocessed text that Clang takes, and the functions whose prologue must go.

    A lambda's attribute goes behind its parameters; ``#pragma GCC unroll`` becomes Clang's own. A
    naked function that is not assembly alone is compiled as any other: see :func:`bare`. What an
    asm statement wants as a number may be in a register, for Clang wants to know it too early. A
    pointer to a function is not said to be without return, which Clang takes for another type. A
    template of which all parameters have defaults, given to a function by its qualified name
    alone, gets its empty list. ``template`` before a name without arguments of a template goes: it
    is no error where none has that name. An alias of arrays of any length means one of one element
    where that length is 0, which Clang has no type for. A parameter that is a template of sizes is
    one of any numbers: Clang does not find the specialisation for one of bytes.
    """
    text = _NUMBER.sub('"ir"', _UNROLL.sub(_clang_unroll, text))
    text = _NO_RETURN.sub(lambda found: f"[[{_without(found[1], 'noreturn')}]]", text)
    text = _NEEDLESS.sub(r"\1", _with_lists(text))
    text = _TEMPLATES.sub(r"\1auto", _ARRAYS.sub(r"\1\2 ? \2 : 1", text))
    while found := _LAMBDA.search(text):
        start = found.end() - 1
        end = _closing(text, start)
        parameters = text[start : end + 1]
        text = f"{text[: found.start()]}] {parameters} {found[1]}{text[end + 1 :]}"
    names = []
    for word in reversed(list(_NAKED.finditer(text))):
        if not (found := _FUNCTION.match(text, word.end())):
            continue
        body = text[found.end() : _closing(text, found.end() - 1)]
        if not _only_assembly(body):
            names.append(found["name"])
            text = text[: word.start()] + "noinline" + text[word.end() :]
    return text, names


def _without(attributes: str, name: str) -> str:
    kept = [each for each in attributes.split(",") if not each.strip().endswith(name)]
    return ",".join(kept)


def _with_lists(text: str) -> str:
    names = {found["name"] for found in _DEFAULTS.finditer(text)}
    if not names:
        return text
    either = "|".join(sorted(names))
    return re.sub(rf"(?<=[(,])(\s*(?:::)?(?:\w+::)+(?:{either}))(?=\s*[,)])", r"\1<>", text)


def _clang_unroll(found: re.Match[str]) -> str:
    count = found[2]
    if count in ("0", "1"):
        return f"{found[1]}clang loop unroll(disable)"
    return f"{found[1]}clang loop unroll_count({count})"


def _closing(text: str, opening: int) -> int:
    """Where the bracket at a place is closed."""
    close = {"(": ")", "{": "}"}[text[opening]]
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == text[opening]) - (text[at] == close)
        if not depth:
            return at
    raise BadInputError("a bracket is not closed")


def _only_assembly(body: str) -> bool:
    rest = re.sub(r'R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"', '""', body, flags=re.DOTALL)
    rest = re.sub(r"^#.*$|//.*$", "", rest, flags=re.MULTILINE)
    statements = [each.strip() for each in rest.split(";")]
    return all(re.match(r"$|(?:__)?asm(?:__)?\b", each) for each in statements)


def without_names_in_unroll(text: str) -> str:
    """GCC before 14 wants a number in ``#pragma GCC unroll``; loops with a name are left to it."""
    return _UNROLL.sub(lambda found: found[0] if found[2].isdecimal() else "", text)


def rolled(text: str) -> str:
    """Source whose loops are not unrolled, though they ask for it: in Clang's words or GCC's."""
    return _UNROLL.sub(r"\1GCC unroll 1", _CLANG_UNROLL.sub(r"\1unroll(disable)", text))


def bare(lines: list[str], names: list[str]) -> list[str]:
    """Assembly without the prologue and epilogue of functions that begin before there is a stack.

    What the source itself says in asm statements stays. BadInputError where such a function has
    more in its frame than saved registers.
    """
    out: list[str] = []
    name = ""
    by_hand = False
    for line in lines:
        by_hand = _BY_HAND.get(line.strip(), by_hand)
        if by_hand:
            pass
        elif found := _LABEL.match(line):
            if not found[1].startswith("."):
                name = found[1] if found[1] in names else ""
        elif name and (_MOVES_FRAME.match(line) or _SAVES.match(line)):
            continue
        elif name and re.match(r"^\s*(?:sw|lw|addi)\s", line) and "(sp)" in line:
            raise BadInputError(f"{name}: a naked function keeps something in its stack frame")
        out.append(line)
    return out


def words(lines: list[str]) -> list[str]:
    """Assembly with every ``.ttinsn WORD`` as the word that stands in memory.

    A word that is in a register is stored to the instruction buffer, as the vendor's own macros for
    such words do it; nothing interrupts the cores, so that what is below the stack is free.
    """
    out = []
    for line in lines:
        if found := _WORD.match(line):
            if _REGISTER.match(found[2]):
                out += _stored(found[2])
                continue
            try:
                word = int(found[2], 0) & 0xFFFFFFFF
            except ValueError:
                raise BadInputError(f".ttinsn {found[2]}: not a number") from None
            line = f"{found[1]}.word\t{to_ttinsn(word):#010x}"
        out.append(line)
    return out


def _stored(register: str) -> list[str]:
    free = "t1" if register == "t0" else "t0"
    return [
        f"\tsw\t{free}, -4(sp)",
        f"\tlui\t{free}, %hi(__instrn_buffer)",
        f"\taddi\t{free}, {free}, %lo(__instrn_buffer)",
        f"\tsw\t{register}, 0({free})",
        f"\tlw\t{free}, -4(sp)",
    ]
