"""Formulas that a row may have for its figure, of numbers, names and four operations."""

import ast
import operator
from collections.abc import Callable, Mapping

from tilelab.calibrate.machine import NotRunError
from tilelab.isa.syntax import shorten

BAD = (SyntaxError, ValueError, KeyError, TypeError, ArithmeticError, RecursionError, MemoryError)
"""What a text that is no such formula raises: null bytes, 10,000 parentheses, infinite results."""
OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def evaluate(formula: str, names: Mapping[str, float]) -> float:
    """What a formula gives with these values; NotRunError for what is no such formula."""
    try:
        return _value(ast.parse(formula, mode="eval").body, names)
    except BAD:
        raise NotRunError(f"{shorten(formula)!r} is no formula of {', '.join(names)}") from None


def _value(node: ast.expr, names: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return names[name]
        case ast.BinOp(left=left, op=operation, right=right):
            return OPERATIONS[type(operation)](_value(left, names), _value(right, names))
    raise TypeError
