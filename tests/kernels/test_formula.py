"""Formulas of kernel.toml: what they mean, and what is refused."""

import math
from pathlib import Path

import numpy as np
import pytest

from tilelab.kernels.formula import FUNCTIONS, formula
from tilelab.sim.errors import BadInputError

A = np.array([[-2.0, -0.5], [0.0, 3.0]])
B = np.array([[1.0, 2.0], [3.0, 4.0]])


def value(text: str, folder: Path = Path()) -> np.ndarray:
    return formula(text, folder, ["a", "b"]).of({"a": A, "b": B})


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a", A),
        ("a @ b", A @ B),
        ("-a * 2 + b / 4 - b ** 2", -A * 2 + B / 4 - B**2),
        ("maximum(a, b)", np.maximum(A, B)),
        ("where(a > 0, a, 0.1 * b)", np.where(A > 0, A, 0.1 * B)),
        ("relu(a)", np.maximum(A, 0)),
        ("leaky_relu(a, 0.5)", np.where(A >= 0, A, A / 2)),
        ("gelu(a)", np.vectorize(lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2)(A)),
        ("sigmoid(a)", 1 / (1 + np.exp(-A))),
        ("sum(a, 1)", A.sum(1)),
    ],
)
def test_a_formula_is_numpys(text: str, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(value(text), wanted, rtol=1e-15)


def test_functions_have_their_value_at_the_edges() -> None:
    edges = np.array([-np.inf, np.inf, np.nan])
    with np.errstate(all="ignore"):
        assert [str(x) for x in FUNCTIONS["gelu"](edges)] == ["-0.0", "inf", "nan"]
        assert [str(x) for x in FUNCTIONS["silu"](edges)] == ["-0.0", "inf", "nan"]
        assert [str(x) for x in FUNCTIONS["relu"](edges)] == ["0.0", "inf", "nan"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gelo(a)", "no function is called 'gelo': did you mean gelu?"),
        ("c + a", "no input is called 'c'"),
        ("a.T", "Attribute means nothing in a formula"),
        ("__import__('os')", "means nothing in a formula"),
        ("[a]", "List means nothing in a formula"),
        ("a if a else b", "IfExp means nothing in a formula"),
        ("sum(a, axis=1)", "Call means nothing in a formula"),
        ("a +", "is neither a .npy file nor a formula"),
        ("(" * 300 + "a" + ")" * 300, "is neither a .npy file nor a formula"),
        ("a" + "+a" * 600, "a formula of more than 1000 characters"),
        ("reference.py:f", "reference.py: no such file"),
        ("'a'", "Constant means nothing in a formula"),
    ],
)
def test_what_is_no_formula_is_refused(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError) as found:
        formula(text, tmp_path, ["a", "b"])
    assert message in found.value.summary


@pytest.mark.parametrize("text", ["a @ sum(a)", "gelu()", "gelu(a, b, a)", "sum(a, 7)", "where(a)"])
def test_a_formula_without_a_value_says_why(text: str) -> None:
    with pytest.raises(BadInputError, match="expect "):
        value(text)


def test_a_function_of_python_gets_the_inputs_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "reference.py").write_text("def f(b, a):\n    return a - b\n")
    np.testing.assert_array_equal(value("reference.py:f", tmp_path), A - B)
    (tmp_path / "reference.py").write_text("def f(c):\n    return c\n")
    with pytest.raises(BadInputError, match="no input is called 'c'"):
        value("reference.py:f", tmp_path)
    with pytest.raises(BadInputError, match="has no function g"):
        value("reference.py:g", tmp_path)
    (tmp_path / "reference.py").write_text("def f(a):\n    raise OSError('gone')\n")
    with pytest.raises(BadInputError, match="OSError: gone"):
        value("reference.py:f", tmp_path)
