"""The IR's text: parse and print.

Covered: the seed's SSA and DPS forms of tpush, tpop and tfree; the assembler's (PTOAS) frontend and
internal pipe operations; ``arith.constant``, ``scf.for``, ``return``; the cross-core
synchronisation operations. The order of ``!pto.tpipe`` parameters, which no source gives, is the
C++ template's: flag, direction, slot size, slots, local slots. Anything else is an ``IRError`` that
names the line.
"""

import re
from typing import Any

import numpy as np

from tilelab.pto.errors import IRError
from tilelab.pto.ir_lex import Tok, lex
from tilelab.pto.ir_show import show
from tilelab.pto.ir_tree import Function, Module, Op, Operand, Param, walk
from tilelab.pto.ir_words import OPERATIONS, SECTIONS, WORDS
from tilelab.pto.paths import ARCHS

__all__ = ["Function", "Module", "Op", "Operand", "Param", "parse", "show", "walk"]


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
        return self.rest()

    def rest(self) -> list[Op]:
        """Operations to the end of a block."""
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
            while self.accept(","):
                result += f", {self.take(kind='value').text}"
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
        if name == "scf.while":
            return self.while_loop(op)
        if name == "arith.constant":
            return self.constant(op)
        while self.clause(op):
            pass
        return op

    def results_next(self) -> bool:
        """Whether the next words are an operation's results: ``%a =`` or ``%a, %b =``."""
        at = self.at
        while self.tokens[at].kind == "value":
            if self.tokens[at + 1].text == "=":
                return True
            at += 2 if self.tokens[at + 1].text == "," else 1
            if self.tokens[at - 1].text != ",":
                return False
        return False

    def constant(self, op: Op) -> Op:
        truth = {"true": 1, "false": 0}.get(self.now.text)
        text = self.take(kind="number" if truth is None else "word").text
        op.result_type = self.type() if self.accept(":") else "i1"
        op.attributes["value"] = _number(text) if truth is None else truth
        if op.result_type in _BITS and text.startswith("0x"):  # a float's bits, as MLIR has them
            bits = np.array(int(text, 0), _BITS[op.result_type])
            op.attributes["value"] = float(bits.view(f"f{bits.itemsize}"))
        return op

    def words(self) -> tuple[str, ...]:
        """All words up to the next operation."""
        found: list[str] = []
        depth = 0
        while True:
            token, starts = self.now, self.results_next()
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
        if self.accept("iter_args"):
            op.carried = self.carried()
            self.take("->")
            op.types = self.results()
        op.body = self.block()
        return op

    def carried(self) -> list[tuple[str, str]]:
        """``(%inside = %before, ...)``: what a loop hands from pass to pass."""
        found: list[tuple[str, str]] = []
        self.take("(")
        while not self.accept(")"):
            inside = self.take(kind="value").text
            self.take("=")
            found.append((inside, self.take(kind="value").text))
            self.accept(",")
        return found

    def while_loop(self, op: Op) -> Op:
        """``scf.while (carried) : (types) -> (types) {...} do {^label(arguments): ...}``."""
        op.carried = self.carried()
        self.take(":")
        self.results()
        self.take("->")
        op.types = self.results()
        op.body = self.block()
        self.take("do")
        self.take("{")
        self.take(kind="label")
        self.take("(")
        while not self.accept(")"):
            op.arguments.append(self.take(kind="value").text)
            self.take(":")
            self.type()
            self.accept(",")
        self.take(":")
        op.orelse = self.rest()
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
        elif token.kind in ("value", "string") and not self.results_next():
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


_BITS = {"f16": np.uint16, "f32": np.uint32, "f64": np.uint64}


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
