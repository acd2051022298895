"""The IR's text: parse and print.

Covered: the seed's SSA and DPS forms of tpush, tpop and tfree; the assembler's (PTOAS) frontend and
internal pipe operations; ``arith.constant``, ``scf.for``, ``return``; the cross-core
synchronisation operations. The order of ``!pto.tpipe`` parameters, which no source gives, is the
C++ template's: flag, direction, slot size, slots, local slots. Anything else is an ``IRError`` that
names the line.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from tilelab.pto.errors import IRError
from tilelab.pto.ir_lex import Tok, lex
from tilelab.pto.ir_words import OPERATIONS, SECTIONS, WORDS
from tilelab.pto.paths import ARCHS


@dataclass
class Operand:
    """A value, the group it stands in ("", ins, outs or pipe), its keyword and type, if written."""

    value: str
    group: str = ""
    keyword: str = ""
    type: str = ""


@dataclass
class Op:
    """One operation; ``style`` is how it was written: "ssa", "dps" or "call"."""

    name: str
    result: str = ""
    operands: list[Operand] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    types: list[str] = field(default_factory=list)
    result_type: str = ""
    body: list["Op"] = field(default_factory=list)
    style: str = "call"
    orelse: list["Op"] = field(default_factory=list)
    words: tuple[str, ...] = ()
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
    private: bool = False
    line: int = field(default=0, compare=False)


@dataclass
class Module:
    """A file: functions and attributes such as ``pto.arch`` and ``pto.protocol``."""

    functions: list[Function]
    attributes: dict[str, Any] = field(default_factory=dict)


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens = lex(text)
        self.at = 0

    @property
    def now(self) -> Tok:
        return self.tokens[self.at]

    def take(self, text: str = "", kind: str = "") -> Tok:
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
        private = self.accept("private")
        name = self.take(kind="symbol").text
        params: list[Param] = []
        self.take("(")
        while not self.accept(")"):
            param = Param(f"%{len(params)}", "")
            if self.now.kind == "value" or not private:  # a declaration may give types alone
                param.name = self.take(kind="value").text
                self.take(":")
            param.type = self.type()
            if self.now.text == "{":
                param.attributes = self.attributes()
            params.append(param)
            if self.now.text != ")":
                self.take(",")
        if self.accept("->"):
            self.results()
        attributes = self.attributes() if self.accept("attributes") else {}
        declared = private and self.now.text != "{"
        return Function(name, params, attributes, [] if declared else self.block(), private, line)

    def results(self) -> list[str]:
        """The types of what a function or a branch gives."""
        if not self.accept("("):
            return [self.type()]
        found = []
        while not self.accept(")"):
            found.append(self.type())
            self.accept(",")
        return found

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
            kind = "string" if self.now.kind == "string" else "word"
            name = self.take(kind=kind).text.strip('"')
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
        if name not in OPERATIONS and name not in WORDS:
            raise IRError(f"unknown operation {name!r}", line)
        op = Op(name, result, line=line)
        if name in WORDS:
            op.style, op.words = "words", self.words()
            return op
        if name == "scf.if" or name in SECTIONS:
            if name == "scf.if":
                op.operands.append(Operand(self.take(kind="value").text))
            op.types = self.results() if self.accept("->") else []
            op.body = self.block()
            op.orelse = self.block() if self.accept("else") else []
            return op
        if name == "scf.for":
            return self.loop(op)
        if name == "arith.constant":
            truth = {"true": 1, "false": 0}.get(self.now.text)
            token = self.take(kind="number" if truth is None else "word")
            op.attributes["value"] = _number(token.text) if truth is None else truth
            op.result_type = self.type() if self.accept(":") else "i1"
            return op
        while self.clause(op):
            pass
        return op

    def words(self) -> tuple[str, ...]:
        """All words up to the next operation."""
        found: list[str] = []
        depth = 0
        while True:
            token, after = self.now, self.tokens[min(self.at + 1, len(self.tokens) - 1)]
            starts = token.kind == "value" and after.text == "="
            # Any operation's name ends the one before, a misspelt one too.
            named = token.kind == "word" and ("." in token.text or token.text in ("return", "call"))
            if token.kind == "end" or (depth == 0 and (token.text == "}" or starts or named)):
                return tuple(found)
            depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
            found.append(self.take().text)

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

    def another_type(self) -> bool:
        """Whether a comma and a type come next, and no operand with its keyword."""
        after, behind = (self.tokens[min(self.at + n, len(self.tokens) - 1)] for n in (1, 2))
        return self.now.text == "," and after.kind in ("typed", "word") and behind.text != "="

    def group(self, op: Op, name: str) -> None:
        """Operands in parentheses: each with its type, or all types behind all operands."""
        self.take("(")
        untyped: list[Operand] = []
        while not self.accept(")"):
            operand = Operand("", name)
            if self.now.kind == "word":
                operand.keyword = self.take().text
                self.take("=")
            operand.value = self.take(kind="value").text
            op.operands.append(operand)
            untyped.append(operand)
            if self.accept(":"):
                types = [self.type()]
                if not operand.keyword:
                    while len(types) < len(untyped) and self.another_type():
                        self.take(",")
                        types.append(self.type())
                for one, kind in zip(reversed(untyped), reversed(types), strict=False):
                    one.type = kind
                untyped = []
            if self.now.text != ")":
                self.take(",")


def _number(text: str) -> int | float:
    return int(text, 0) if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", text) else float(text)


def parse(text: str) -> Module:
    """The module of a source text, or IRError. An assembler's RUN line names the chip."""
    module = _Parser(text).module()
    found = re.search(r"^//\s*RUN:.*--pto-arch[= ](\w+)\b", text, re.MULTILINE)
    archs = [arch.name for arch in ARCHS.values() if found and found[1] in arch.chips]
    if archs and "pto.arch" not in module.attributes:
        module.attributes["pto.arch"] = archs[0]
    return module


def show(module: Module) -> str:
    """The text of a module; ``parse(show(m)) == m``."""
    lines = [f"module{_attributes(module.attributes, ' attributes ')} {{"]
    for function in module.functions:
        named = (f"{p.name} : {p.type}{_attributes(p.attributes)}" for p in function.params)
        params = ", ".join(named)
        attributes = _attributes(function.attributes, " attributes ")
        private = "private " if function.private else ""
        lines.append(f"  func.func {private}{function.name}({params}){attributes} {{")
        lines += _block(function.body, "    ")
        lines.append("  }")
    return "\n".join([*lines, "}", ""])


def _attributes(attributes: dict[str, Any], before: str = " ") -> str:
    named = ((n if re.fullmatch(r"[\w.]+", n) else f'"{n}"', v) for n, v in attributes.items())
    items = ", ".join(f"{name} = {_attribute(value)}" for name, value in named)
    return f"{before}{{{items}}}" if items else ""


def _attribute(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value[:1] not in "@#!<":
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
        elif op.name == "scf.if":
            arrow = f" -> ({', '.join(op.types)})" if op.types else ""
            lines.append(f"{head}scf.if {op.operands[0].value}{arrow} {{")
            lines += _block(op.body, indent + "  ")
            if op.orelse:
                lines += [f"{indent}}} else {{", *_block(op.orelse, indent + "  ")]
            lines.append(f"{indent}}}")
        elif op.name in SECTIONS:
            lines += [f"{head}{op.name} {{", *_block(op.body, indent + "  "), f"{indent}}}"]
        elif op.style == "words":
            lines.append(f"{head}{op.name} {' '.join(op.words)}".rstrip())
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


def walk(ops: list[Op]) -> list[Op]:
    """All operations, those inside loops and branches too."""
    return [inner for op in ops for inner in (op, *walk(op.body), *walk(op.orelse))]
