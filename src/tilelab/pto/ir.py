"""The IR's text: parse and print.

Covered: the seed's SSA and DPS forms of tpush, tpop and tfree; the assembler's (PTOAS) frontend
and internal pipe
operations; `arith.constant`, `scf.for`, `return`; the cross-core synchronisation operations. The
order of
`!pto.tpipe` parameters, which no source gives, is the C++ template's: flag, direction, slot size,
slots, local slots.
Anything else is an `IRError` that names the line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tilelab.pto.errors import IRError

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
      | (?P<string>"[^"\n]*")
      | (?P<number>-?(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?))
      | (?P<value>%[\w$.-]+)
      | (?P<symbol>@[\w$.-]+)
      | (?P<typed>[!\#][\w.]+)
      | (?P<word>[A-Za-z_][\w.]*)
      | (?P<mark>->|[(){},:=])""",
    re.VERBOSE,
)

OPERATIONS = frozenset(
    [
        "pto.tpush",
        "pto.tpop",
        "pto.tfree",
        "pto.tdrain",
        "pto.tpush_to_aiv",
        "pto.tpush_to_aic",
        "pto.tpop_from_aic",
        "pto.tpop_from_aiv",
        "pto.tfree_from_aic",
        "pto.tfree_from_aiv",
        "pto.aic_initialize_pipe",
        "pto.aiv_initialize_pipe",
        "pto.initialize_l2g2l_pipe",
        "pto.initialize_l2l_pipe",
        "pto.declare_tile",
        "pto.reserve_buffer",
        "pto.import_reserved_buffer",
        "pto.set_cross_core",
        "pto.wait_flag_dev",
        "pto.set_intra_block",
        "pto.wait_intra_core",
        "arith.constant",
        "scf.for",
        "return",
    ]
)


@dataclass
class Operand:
    """A value, with the group it stands in ("" or ins, outs, pipe), its keyword and its type, if
    written."""

    value: str
    group: str = ""
    keyword: str = ""
    type: str = ""


@dataclass
class Op:
    """One operation; `style` is how it was written: "ssa", "dps" or "call"."""

    name: str
    result: str = ""
    operands: list[Operand] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    types: list[str] = field(default_factory=list)
    result_type: str = ""
    body: list[Op] = field(default_factory=list)
    style: str = "call"
    line: int = field(default=0, compare=False)


@dataclass
class Param:
    """A function parameter; a pipe's attributes give its addresses."""

    name: str
    type: str
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass
class Function:
    """One core's kernel."""

    name: str
    params: list[Param]
    attributes: dict[str, Any]
    body: list[Op]
    line: int = field(default=0, compare=False)


@dataclass
class Module:
    """A file: functions and attributes such as `pto.arch` and `pto.protocol`."""

    functions: list[Function]
    attributes: dict[str, Any] = field(default_factory=dict)


class _Tok(NamedTuple):
    kind: str
    text: str
    line: int


def _lex(text: str) -> list[_Tok]:
    tokens: list[_Tok] = []
    at, line = 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise IRError(f"unexpected {text[at]!r}", line)
        kind, word = match.lastgroup or "", match.group()
        end = match.end()
        if kind == "typed" and text[end : end + 1] == "<":
            end = _closing(text, end, line)
            word = text[at:end]
        if kind != "space":
            tokens.append(_Tok(kind, re.sub(r"\s+", " ", word), line))
        line += text.count("\n", at, end)
        at = end
    tokens.append(_Tok("end", "the end", line))
    return tokens


def _closing(text: str, at: int, line: int) -> int:
    depth = 0
    for index in range(at, len(text)):
        depth += {"<": 1, ">": -1}.get(text[index], 0)
        if depth == 0:
            return index + 1
    raise IRError("'<' is never closed", line)


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens = _lex(text)
        self.at = 0

    @property
    def now(self) -> _Tok:
        return self.tokens[self.at]

    def take(self, text: str = "", kind: str = "") -> _Tok:
        token = self.now
        if (text and token.text != text) or (kind and token.kind != kind):
            raise IRError(f"expected {text or kind}, found {token.text!r}", token.line)
        self.at += 1
        return token

    def accept(self, text: str) -> bool:
        if self.now.text == text and self.now.kind in ("mark", "word"):
            self.at += 1
            return True
        return False

    def module(self) -> Module:
        module = Module([])
        wrapped = self.accept("module")
        if wrapped:
            if self.accept("attributes"):
                module.attributes = self.attributes()
            self.take("{")
        while self.now.text == "func.func":
            module.functions.append(self.function())
        if wrapped:
            self.take("}")
        self.take(kind="end")
        return module

    def function(self) -> Function:
        line = self.take("func.func").line
        name = self.take(kind="symbol").text
        params: list[Param] = []
        self.take("(")
        while not self.accept(")"):
            param = Param(self.take(kind="value").text, "")
            self.take(":")
            param.type = self.type()
            if self.now.text == "{":
                param.attributes = self.attributes()
            params.append(param)
            if self.now.text != ")":
                self.take(",")
        attributes = self.attributes() if self.accept("attributes") else {}
        return Function(name, params, attributes, self.block(), line)

    def block(self) -> list[Op]:
        self.take("{")
        ops: list[Op] = []
        while not self.accept("}"):
            ops.append(self.operation())
        return ops

    def attributes(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self.take("{")
        while not self.accept("}"):
            name = self.take(kind="word").text
            found[name] = self.attribute() if self.accept("=") else True
            if self.now.text != "}":
                self.take(",")
        return found

    def attribute(self) -> Any:
        token = self.take()
        if token.kind == "number":
            value = _number(token.text)
            if self.accept(":"):
                self.type()
            return value
        if token.kind == "string":
            return token.text[1:-1]
        if token.text in ("true", "false"):
            return token.text == "true"
        if token.kind in ("symbol", "typed"):
            return token.text
        raise IRError(f"{token.text!r} is no attribute value", token.line)

    def type(self) -> str:
        token = self.take()
        if token.kind not in ("typed", "word"):
            raise IRError(f"expected a type, found {token.text!r}", token.line)
        return token.text

    def operation(self) -> Op:
        line = self.now.line
        result = ""
        if self.now.kind == "value":
            result = self.take().text
            self.take("=")
        name = self.take(kind="word").text
        if name not in OPERATIONS:
            raise IRError(f"unknown operation {name!r}", line)
        op = Op(name, result, line=line)
        if name == "scf.for":
            return self.loop(op)
        if name == "arith.constant":
            op.attributes["value"] = _number(self.take(kind="number").text)
            self.take(":")
            op.result_type = self.type()
            return op
        while self.clause(op):
            pass
        return op

    def loop(self, op: Op) -> Op:
        op.attributes["variable"] = self.take(kind="value").text
        for before in ("=", "to", "step"):
            self.take(before)
            op.operands.append(Operand(self.take(kind="value").text))
        op.body = self.block()
        return op

    def clause(self, op: Op) -> bool:
        """Parse one more part of an operation, if there is one."""
        token, after = self.now, self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        if token.text == "(":
            self.group(op, "")
        elif token.text == "{":
            op.attributes |= self.attributes()
        elif token.text in ("ins", "outs", "pipe") and after.text == "(":
            op.style = "dps"
            self.take()
            self.group(op, token.text)
        elif token.kind in ("value", "string") and after.text != "=":
            op.style = "ssa"
            self.values(op)
        elif self.accept("->"):
            op.result_type = self.type()
        elif self.accept(":"):
            self.types(op)
        else:
            return False
        return True

    def values(self, op: Op) -> None:
        while True:
            op.operands.append(Operand(self.take().text))
            if not self.accept(","):
                return
            if self.now.kind not in ("value", "string"):
                raise IRError(f"expected a value, found {self.now.text!r}", self.now.line)

    def types(self, op: Op) -> None:
        wrapped = self.accept("(")
        op.types.append(self.type())
        while self.accept(","):
            op.types.append(self.type())
        if wrapped:
            self.take(")")

    def group(self, op: Op, name: str) -> None:
        self.take("(")
        while not self.accept(")"):
            operand = Operand("", name)
            if self.now.kind == "word":
                operand.keyword = self.take().text
                self.take("=")
            operand.value = self.take(kind="value").text
            if self.accept(":"):
                operand.type = self.type()
            op.operands.append(operand)
            if self.now.text != ")":
                self.take(",")


def _number(text: str) -> int | float:
    try:
        return int(text, 0)
    except ValueError:
        return float(text)


def parse(text: str) -> Module:
    """The module of a source text, or IRError."""
    return _Parser(text).module()


def show(module: Module) -> str:
    """The text of a module; `parse(show(m)) == m`."""
    lines = [f"module{_attributes(module.attributes, ' attributes ')} {{"]
    for function in module.functions:
        params = ", ".join(
            f"{p.name} : {p.type}{_attributes(p.attributes)}" for p in function.params
        )
        attributes = _attributes(function.attributes, " attributes ")
        lines.append(f"  func.func {function.name}({params}){attributes} {{")
        lines += _block(function.body, "    ")
        lines.append("  }")
    return "\n".join([*lines, "}", ""])


def _attributes(attributes: dict[str, Any], before: str = " ") -> str:
    items = ", ".join(f"{name} = {_attribute(value)}" for name, value in attributes.items())
    return f"{before}{{{items}}}" if attributes else ""


def _attribute(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value[:1] not in "@#!":
        return f'"{value}"'
    return str(value)


def _block(ops: list[Op], indent: str) -> list[str]:
    lines: list[str] = []
    for op in ops:
        head = f"{indent}{op.result} = " if op.result else indent
        if op.name == "scf.for":
            low, high, step = (operand.value for operand in op.operands)
            lines.append(
                f"{head}scf.for {op.attributes['variable']} = {low} to {high} step {step} {{"
            )
            lines += [*_block(op.body, indent + "  "), f"{indent}}}"]
        elif op.name == "arith.constant":
            lines.append(f"{head}arith.constant {op.attributes['value']} : {op.result_type}")
        else:
            lines.append(head + op.name + _operands(op))
    return lines


def _operands(op: Op) -> str:
    arrow = f" -> {op.result_type}" if op.result_type else ""
    if op.style == "ssa":
        values = ", ".join(operand.value for operand in op.operands)
        types = f" : ({', '.join(op.types)})" if op.types else ""
        return f" {values}{_attributes(op.attributes)}{types}{arrow}"
    if op.style == "dps":
        groups = "".join(
            f" {name}({', '.join(_operand(o) for o in op.operands if o.group == name)})"
            for name in dict.fromkeys(operand.group for operand in op.operands)
        )
        return f"{groups}{_attributes(op.attributes)}{arrow}"
    call = f"({', '.join(map(_operand, op.operands))})" if op.operands else ""
    return f"{_attributes(op.attributes)}{call}{arrow}"


def _operand(operand: Operand) -> str:
    keyword = f"{operand.keyword} = " if operand.keyword else ""
    kind = f" : {operand.type}" if operand.type else ""
    return f"{keyword}{operand.value}{kind}"
