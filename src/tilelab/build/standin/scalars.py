"""A core's own floating point as calls of the run-time library, in LLVM's intermediate form.

A source with vectors is compiled as if the core had floating-point registers, for vectors are given
their names. The core has none, and no arithmetic on them. So where a source computes with numbers
of its own, too, functions without vectors lose those registers again, and in the others each
such operation becomes a call that takes and gives integers.
"""

import re
from collections.abc import Iterator

from tilelab.build.vector.text import MARK

_DEFINE = re.compile(r"^define .*\{$")
_GROUP = re.compile(r"#(\d+)(?= |$)")
_ATTRIBUTES = re.compile(r"^attributes #(\d+) = (\{.*\})$")
_FLAGS = r"(?:(?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc|nneg) )*"
_RESULT = r"^  (?P<d>%[\w.]+) = "
_END = r"(?P<rest>(?:, !.*)?)$"
_ARITHMETIC = re.compile(
    rf"{_RESULT}f(?P<what>add|sub|mul|div) {_FLAGS}float (?P<a>\S+), (?P<b>[^\s,]+){_END}"
)
_NEGATION = re.compile(rf"{_RESULT}fneg {_FLAGS}float (?P<a>[^\s,]+){_END}")
_ABSOLUTE = re.compile(
    rf"{_RESULT}(?:tail )?call {_FLAGS}float @llvm\.fabs\.f32\(float (?:noundef )?(?P<a>[^\s,)]+)\)"
    rf"(?: #\d+)?{_END}"
)
_MULTIPLY_ADD = re.compile(
    rf"{_RESULT}(?:tail )?call {_FLAGS}float @llvm\.fmuladd\.f32\(float (?P<a>[^\s,]+), "
    rf"float (?P<b>[^\s,]+), float (?P<c>[^\s,)]+)\)(?: #\d+)?{_END}"
)
_COMPARISON = re.compile(
    rf"{_RESULT}fcmp {_FLAGS}(?P<how>[a-z]+) float (?P<a>[^\s,]+), (?P<b>[^\s,]+){_END}"
)
_FROM_INTEGER = re.compile(
    rf"{_RESULT}(?P<sign>[us])itofp {_FLAGS}i(?P<bits>\d+) (?P<a>\S+) to float{_END}"
)
_TO_INTEGER = re.compile(
    rf"{_RESULT}fpto(?P<sign>[us])i {_FLAGS}float (?P<a>\S+) to i(?P<bits>\d+){_END}"
)
_WIDER = re.compile(rf"{_RESULT}fpext {_FLAGS}float (?P<a>\S+) to double{_END}")
_NARROWER = re.compile(rf"{_RESULT}fptrunc {_FLAGS}double (?P<a>\S+) to float{_END}")
_CALL = re.compile(rf"{_RESULT}(?:tail )?call [^@]*?float (?P<callee>@(?!llvm\.).*)$")
_BITS = re.compile(rf"{_RESULT}bitcast float (?P<a>\S+) to i32{_END}")
_LOAD = re.compile(rf"{_RESULT}load (?P<volatile>volatile )?float, (?P<rest>.*)$")
_STORE = re.compile(r"^  store (?P<volatile>volatile )?float (?P<a>[^\s,]+), (?P<rest>.*)$")

_STRUCT_ARGUMENT = re.compile(
    r"^(!\d+ = !DITemplateValueParameter\(.*?value: )%(?:\"[^\"]*\"|[\w.]+) .*\)$", re.MULTILINE
)
"""A template's argument that is a struct, as debuggers are told; its text is not always legal."""

COMPARED = {
    **{"olt": ("lt", "slt"), "ole": ("le", "sle"), "ogt": ("gt", "sgt"), "oge": ("ge", "sge")},
    **{"oeq": ("eq", "eq"), "une": ("ne", "ne"), "uno": ("unord", "ne"), "ord": ("unord", "eq")},
    # not the opposite, which no NaN fulfils
    **{"ult": ("ge", "slt"), "ule": ("gt", "sle"), "ugt": ("le", "sgt"), "uge": ("lt", "sge")},
}
"""The library's function for each comparison, and how its result compares with zero."""
WORD = "i32"


def without_float_registers(module: str) -> str:
    """A module of LLVM's text whose functions leave floats to the library, but for vectors.

    An operation that is not known here stays, and the assembly then shows it.
    """
    lines = _STRUCT_ARGUMENT.sub(r"\1i8 0)", module).splitlines()
    declared: set[str] = set()
    plain: set[int] = set()
    out: list[str] = []
    for function in _parts(lines):
        if not _DEFINE.match(function[0]):
            out += function
        elif any(MARK in line for line in function):
            words: dict[str, str] = {}
            for number, line in enumerate(function):
                out += _Line(declared, words, number).rewritten(line)
        else:
            out += [_other_groups(function[0], plain), *function[1:]]
    known = {line.partition("@")[2].partition("(")[0] for line in lines if line.startswith("decl")}
    out += [
        each for each in sorted(declared) if each.partition("@")[2].partition("(")[0] not in known
    ]
    for line in lines:
        if (found := _ATTRIBUTES.match(line)) and int(found[1]) in plain:
            out.append(f"attributes #{_other(int(found[1]))} = {found[2].replace('+f,', '-f,')}")
    return "\n".join(out) + "\n"


def _parts(lines: list[str]) -> Iterator[list[str]]:
    """Functions with their bodies, and other lines one by one."""
    at = 0
    while at < len(lines):
        end = at + 1
        if _DEFINE.match(lines[at]):
            end = lines.index("}", at) + 1
        yield lines[at:end]
        at = end


def _declared(line: str) -> str:
    return line.partition("@")[2].partition("(")[0]


def _other(group: int) -> int:
    return group + 1_000_000


def _other_groups(line: str, plain: set[int]) -> str:
    """A function's first line with attributes of its own, that no other has."""
    head, _, tail = line.rpartition(")")
    plain |= {int(number) for number in _GROUP.findall(tail)}
    return f"{head}){_GROUP.sub(lambda found: f'#{_other(int(found[1]))}', tail)}"


class _Line:
    """Rewrites one instruction of a function.

    ``declared`` is what is called, ``words`` what integer each float is made of that was rewritten.
    """

    def __init__(self, declared: set[str], words: dict[str, str], number: int) -> None:
        self.declared = declared
        self.words = words
        self.number = number
        self.out: list[str] = []
        self.rest = ""

    def rewritten(self, line: str) -> list[str]:
        """The lines that stand for one."""
        for pattern, write in _WRITERS:
            if found := pattern.match(line):
                self.rest = found.groupdict().get("rest", "")
                write(self, found)
                return self.out
        return [line]

    @staticmethod
    def _name(found: re.Match[str], part: str) -> str:
        """A new value's name, which must not look like the numbers that others have."""
        return f"%tilelab.{found['d'][1:]}.{part}"

    def _say(self, result: str, text: str) -> str:
        self.out.append(f"  {result} = {text}{self.rest}")
        return result

    def _bits(self, found: re.Match[str], name: str) -> str:
        if word := self.words.get(found[name]):
            return word
        return self._say(self._name(found, name), f"bitcast float {found[name]} to {WORD}")

    def _call(self, result: str, kind: str, name: str, *arguments: tuple[str, str]) -> str:
        kinds = ", ".join(kind for kind, _ in arguments)
        self.declared.add(f"declare {kind} @{name}({kinds})")
        given = ", ".join(f"{kind} {value}" for kind, value in arguments)
        return self._say(result, f"call {kind} @{name}({given})")

    def _as_float(self, found: re.Match[str], word: str) -> None:
        self.words[found["d"]] = word
        self._say(found["d"], f"bitcast {WORD} {word} to float")

    def arithmetic(self, found: re.Match[str]) -> None:
        """Two operands."""
        a, b = ((WORD, self._bits(found, name)) for name in "ab")
        name = f"__{found['what']}sf3"
        self._as_float(found, self._call(self._name(found, "r"), WORD, name, a, b))

    def multiply_add(self, found: re.Match[str]) -> None:
        """Rounded twice, which the operation allows."""
        a, b, c = ((WORD, self._bits(found, name)) for name in "abc")
        product = self._call(self._name(found, "p"), WORD, "__mulsf3", a, b)
        word = self._call(self._name(found, "r"), WORD, "__addsf3", (WORD, product), c)
        self._as_float(found, word)

    def negation(self, found: re.Match[str]) -> None:
        """The sign turned."""
        word = self._say(
            self._name(found, "r"), f"xor {WORD} {self._bits(found, 'a')}, -2147483648"
        )
        self._as_float(found, word)

    def absolute(self, found: re.Match[str]) -> None:
        """The sign taken away."""
        text = f"and {WORD} {self._bits(found, 'a')}, 2147483647"
        self._as_float(found, self._say(self._name(found, "r"), text))

    def comparison(self, found: re.Match[str]) -> None:
        """A call, and its result against zero."""
        if found["how"] not in COMPARED:
            self.out.append(found.string)
            return
        function, how = COMPARED[found["how"]]
        a, b = ((WORD, self._bits(found, name)) for name in "ab")
        word = self._call(self._name(found, "r"), WORD, f"__{function}sf2", a, b)
        self._say(found["d"], f"icmp {how} {WORD} {word}, 0")

    def from_integer(self, found: re.Match[str]) -> None:
        """From an integer of up to 64 bits."""
        bits, value = int(found["bits"]), found["a"]
        name = f"__float{'un' if found['sign'] == 'u' else ''}{'di' if bits > 32 else 'si'}sf"
        wide = f"i{64 if bits > 32 else 32}"
        if f"i{bits}" != wide:
            extended = {"u": "zext", "s": "sext"}[found["sign"]]
            value = self._say(self._name(found, "w"), f"{extended} i{bits} {value} to {wide}")
        self._as_float(found, self._call(self._name(found, "r"), WORD, name, (wide, value)))

    def to_integer(self, found: re.Match[str]) -> None:
        """To an integer of up to 64 bits."""
        bits = int(found["bits"])
        name = f"__fix{'uns' if found['sign'] == 'u' else ''}sf{'di' if bits > 32 else 'si'}"
        wide = f"i{64 if bits > 32 else 32}"
        a = (WORD, self._bits(found, "a"))
        if f"i{bits}" == wide:
            self._call(found["d"], wide, name, a)
        else:
            word = self._call(self._name(found, "r"), wide, name, a)
            self._say(found["d"], f"trunc {wide} {word} to i{bits}")

    def wider(self, found: re.Match[str]) -> None:
        """To a double, which the library computes with in any case."""
        self._call(found["d"], "double", "__extendsfdf2", (WORD, self._bits(found, "a")))

    def narrower(self, found: re.Match[str]) -> None:
        """From a double."""
        word = self._call(self._name(found, "r"), WORD, "__truncdfsf2", ("double", found["a"]))
        self._as_float(found, word)

    def load(self, found: re.Match[str]) -> None:
        """A word of memory."""
        volatile = found["volatile"] or ""
        word = self._name(found, "r")
        self.out.append(f"  {word} = load {volatile}{WORD}, {found['rest']}")
        self.rest = ""
        self._as_float(found, word)

    def called(self, found: re.Match[str]) -> None:
        """A function whose result is a float, and comes in an integer register."""
        word = self._name(found, "r")
        self.out.append(f"  {word} = call {WORD} {found['callee']}")
        self.rest = ""
        self._as_float(found, word)

    def bits(self, found: re.Match[str]) -> None:
        """The integer that a float is made of."""
        if found["a"] in self.words:
            self._say(found["d"], f"or {WORD} {self.words[found['a']]}, 0")
        else:
            self.out.append(found.string)

    def store(self, found: re.Match[str]) -> None:
        """A word to memory."""
        volatile = found["volatile"] or ""
        if not (word := self.words.get(found["a"], "")):
            word = f"%tilelab.stored.{self.number}"
            self.out.append(f"  {word} = bitcast float {found['a']} to {WORD}")
        self.out.append(f"  store {volatile}{WORD} {word}, {found['rest']}")


_WRITERS = (
    (_CALL, _Line.called),
    (_BITS, _Line.bits),
    (_ARITHMETIC, _Line.arithmetic),
    (_NEGATION, _Line.negation),
    (_ABSOLUTE, _Line.absolute),
    (_MULTIPLY_ADD, _Line.multiply_add),
    (_COMPARISON, _Line.comparison),
    (_FROM_INTEGER, _Line.from_integer),
    (_TO_INTEGER, _Line.to_integer),
    (_WIDER, _Line.wider),
    (_NARROWER, _Line.narrower),
    (_LOAD, _Line.load),
    (_STORE, _Line.store),
)
