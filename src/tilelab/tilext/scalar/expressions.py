"""Numbers and symbols in assembly: integers, labels, ``.equ`` names, and arithmetic of them."""

import ast
import re
from collections.abc import Callable, Mapping

from tilelab.isa.syntax import shorten
from tilelab.tilext.errors import AssemblyError

_SYMBOL = re.compile(r"(?<![\w.$])[A-Za-z_.$][\w.$]*|(?<![\w.$])\d+[bf](?![\w.$])")
_CHARACTER = re.compile(r"'(\\.|[^\\])'?")
_OPERATIONS: dict[type, Callable[[int, int], int]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.LShift: lambda a, b: a << b,
    ast.RShift: lambda a, b: a >> b,
    ast.BitOr: lambda a, b: a | b,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitXor: lambda a, b: a ^ b,
}


class UnknownSymbolError(AssemblyError):
    """A name that is not defined, or not yet."""


def evaluate(text: str, symbols: Mapping[str, int]) -> int:
    """Return an expression's value; AssemblyError if it is none, or a name is not defined."""
    names: list[str] = []

    def name(found: re.Match[str]) -> str:
        names.append(found[0])
        return f"_{len(names) - 1}"

    plain = _CHARACTER.sub(lambda m: str(ord(ast.literal_eval(f"'{m[1]}'"))), text)
    source = _SYMBOL.sub(name, plain.replace("/", "//"))
    try:
        return _value(ast.parse(source.strip(), mode="eval").body, names, symbols)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        raise AssemblyError(f"{shorten(text.strip())!r} is not a number") from None


def _value(node: ast.expr, names: list[str], symbols: Mapping[str, int]) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name):
        symbol = names[int(node.id[1:])]
        if symbol not in symbols:
            raise UnknownSymbolError(f"{shorten(symbol)!r} is not defined")
        return symbols[symbol]
    if isinstance(node, ast.UnaryOp):
        value = _value(node.operand, names, symbols)
        signs = {ast.USub: -value, ast.UAdd: value, ast.Invert: ~value}
        if type(node.op) in signs:
            return signs[type(node.op)]
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = (_value(side, names, symbols) for side in (node.left, node.right))
        if isinstance(node.op, ast.LShift | ast.RShift) and not 0 <= right < 64:
            raise ValueError(right)
        result = _OPERATIONS[type(node.op)](left, right)
        if abs(result) >> 128:
            raise ValueError(result)
        return result
    raise ValueError(ast.dump(node))
