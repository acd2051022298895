"""What an output must hold, said in one line of kernel.toml: ``expect = "gelu(a) + b"``.

Names are inputs, by their files' names without ``.npy``; functions are those of FUNCTIONS. The
numbers are the inputs as L1 holds them, and the arithmetic is float64's. ``"reference.py:f"`` is a
Python function instead: it is called with those inputs that its parameters name.
"""

import ast
import inspect
import math
import operator
import runpy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilelab.sim.errors import BadInputError

Numbers = npt.NDArray[np.float64]

_erf: Final = np.vectorize(math.erf, otypes=[np.float64])
_erfc: Final = np.vectorize(math.erfc, otypes=[np.float64])


def _sigmoid(x: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-x)))


def _gelu(x: Numbers) -> Numbers:
    """With erfc, which is exact where 1 + erf would cancel; of -infinity it is -0."""
    return np.where(x == -np.inf, -0.0, 0.5 * x * _erfc(-x / math.sqrt(2)))


def _silu(x: Numbers) -> Numbers:
    return np.where(x == -np.inf, -0.0, x * _sigmoid(x))


FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    **{name: getattr(np, name) for name in ("abs", "ceil", "cos", "cosh", "exp", "exp2", "expm1")},
    **{name: getattr(np, name) for name in ("floor", "heaviside", "log", "log10", "log1p", "log2")},
    **{
        name: getattr(np, name) for name in ("max", "maximum", "mean", "min", "minimum", "negative")
    },
    **{name: getattr(np, name) for name in ("power", "sign", "sin", "sinh", "sqrt", "square")},
    **{name: getattr(np, name) for name in ("sum", "tan", "tanh", "transpose", "trunc")},
    "elu": lambda x, alpha=1.0: np.where(x > 0, x, alpha * np.expm1(x)),
    "erf": _erf,
    "erfc": _erfc,
    "gelu": _gelu,
    "hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "leaky_relu": lambda x, slope=0.01: np.where(x >= 0, x, slope * x),
    "recip": lambda x: 1 / x,
    "relu": lambda x: np.where(np.isnan(x), x, np.maximum(x, 0)),
    "round": np.rint,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": _sigmoid,
    "silu": _silu,
    "softplus": lambda x: np.logaddexp(x, 0),
    "where": lambda condition, yes, no: np.where(condition != 0, yes, no),
}
"""Functions that a formula may call; the exact ones of the activations are here alone."""
OPERATORS: Final[Mapping[type, Callable[..., Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
LONGEST: Final = 1000
"""Characters of a formula."""


@dataclass(frozen=True)
class Formula:
    """A formula, or a Python function, of inputs; ``file`` is where a function's text is."""

    text: str
    file: Path | None = None

    def of(self, inputs: Mapping[str, Numbers]) -> Numbers:
        """Its value, of these inputs by name; BadInputError if it has none."""
        try:
            with np.errstate(all="ignore"):
                if self.file is not None:
                    value = _called(self.file, self.text.rpartition(":")[2], inputs)
                else:
                    value = _value(parsed(self.text), inputs)
                return np.asarray(value, np.float64)
        except BadInputError:
            raise
        except Exception as error:  # whatever NumPy, or a function of the user's, makes of it
            said = f"{type(error).__name__}: {error}".splitlines()[0]
            raise BadInputError(f"expect {self.text!r}: {said}") from None


def formula(text: str, folder: Path, inputs: list[str]) -> Formula:
    """The formula that a text is, of inputs by name; BadInputError if it is none of them."""
    name, colon, function = text.rpartition(":")
    if colon and name.endswith(".py"):
        file = folder / name
        if not file.is_file():
            raise BadInputError(f"{name}: no such file")
        if not function.isidentifier():
            raise BadInputError(f"{text!r}: write FILE.py:FUNCTION")
        return Formula(text, file)
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Call):
            assert isinstance(node.func, ast.Name)
            _known(node.func.id, list(FUNCTIONS), "function")
    for used in names(text):
        _known(used, inputs, "input")
    return Formula(text)


def _known(name: str, among: list[str], what: str) -> None:
    if name not in among:
        close = get_close_matches(name, among, 1)
        meant = f"did you mean {close[0]}?" if close else f"there is {', '.join(among) or 'none'}"
        raise BadInputError(f"no {what} is called {name!r}: {meant}")


def names(text: str) -> Iterator[str]:
    """The inputs that a formula uses."""
    tree = parsed(text)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and id(node) not in called:
            yield node.id


def parsed(text: str) -> ast.expr:
    """A formula's tree, of nothing but numbers, names, operators and calls; BadInputError."""
    if len(text) > LONGEST:
        raise BadInputError(f"a formula of more than {LONGEST} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise BadInputError(f"{text!r} is neither a .npy file nor a formula") from None
    for node in ast.walk(tree):
        if not _allowed(node):
            raise BadInputError(f"{text!r}: {type(node).__name__} means nothing in a formula")
    return tree


def _allowed(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and not node.keywords
    if isinstance(node, ast.Compare):
        return len(node.ops) == 1
    return (
        isinstance(node, ast.Name | ast.BinOp | ast.UnaryOp | ast.Load) or type(node) in OPERATORS
    )


def _value(node: ast.expr, inputs: Mapping[str, Numbers]) -> Any:
    match node:
        case ast.Constant():
            return np.float64(node.value)  # type: ignore[arg-type]  # a number: _allowed
        case ast.Name():
            return inputs[node.id]
        case ast.UnaryOp():
            return OPERATORS[type(node.op)](_value(node.operand, inputs))
        case ast.BinOp():
            return OPERATORS[type(node.op)](_value(node.left, inputs), _value(node.right, inputs))
        case ast.Compare():
            sides = _value(node.left, inputs), _value(node.comparators[0], inputs)
            return OPERATORS[type(node.ops[0])](*sides)
        case ast.Call():
            assert isinstance(node.func, ast.Name)
            return _call(node.func.id, [_argument(one, inputs) for one in node.args])
    raise AssertionError(node)


def _argument(node: ast.expr, inputs: Mapping[str, Numbers]) -> Any:
    """A call's argument: an integer may be an axis, and stays one."""
    negated = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(number, ast.Constant) and isinstance(number.value, int):
        return -number.value if negated else number.value
    return _value(node, inputs)


def _call(name: str, given: list[Any]) -> Any:
    function = FUNCTIONS[name]
    if isinstance(function, np.ufunc) and len(given) != function.nin:
        raise TypeError(f"{name} takes {function.nin}, not {len(given)}")
    return function(*given)


def _called(file: Path, name: str, inputs: Mapping[str, Numbers]) -> Any:
    function = runpy.run_path(str(file)).get(name)
    if not callable(function):
        raise BadInputError(f"{file.name} has no function {name}")
    wanted = inspect.signature(function).parameters
    for parameter in wanted:
        _known(parameter, list(inputs), "input")
    return function(**{parameter: inputs[parameter] for parameter in wanted})
