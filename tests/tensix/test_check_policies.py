"""Every check either has a policy that the kernels ask, or is said to have no way round."""

import ast
import importlib
import inspect
import pkgutil
import sys

import pytest

import tilelab.tensix
from tilelab.sim.checks import CHECKS, NO_WAY_ROUND, Check, Policy, declared
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tile.tile import Tile

for found in pkgutil.walk_packages(tilelab.tensix.__path__, "tilelab.tensix."):
    importlib.import_module(found.name)


def asked() -> set[str]:
    """The checks that some kernel gives to ``refuse``, by name."""
    names = set()
    for name, module in list(sys.modules.items()):
        if not name.startswith("tilelab.tensix."):
            continue
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            match node:
                case ast.Call(func=ast.Name(id="refuse" | "refuse2"), args=[_, ast.Name(id), *_]):
                    if (code := getattr(module, id, None)) is not None:
                        names.add(CHECKS[code].name)
                case ast.Call(
                    func=ast.Name(id="refuse" | "refuse2"),
                    args=[_, ast.Subscript(value=ast.Name(id)), *_],
                ):  # one of SrcA's and SrcB's
                    names |= {CHECKS[code].name for code in getattr(module, id)}
    return names


def test_just_the_checks_with_a_policy_are_asked_for_it() -> None:
    assert asked() == {item.name for item in declared(Check) if item.policy is not None}


def test_a_check_without_a_policy_has_its_reason() -> None:
    assert {item.category for item in declared(Check) if item.policy is None} <= set(NO_WAY_ROUND)


@pytest.mark.parametrize("policy", ["warn", "off"])
def test_a_policy_without_effect_is_refused_with_the_reason(policy: str) -> None:
    tile = Tile()
    for item in declared(Check):
        if item.policy is None:
            with pytest.raises(BadInputError, match=f"^{item.name} always stops the program: "):
                tile.set_policy(item.name, policy)
            tile.set_policy(item.name, "error")
        else:
            tile.set_policy(item.name, policy)
            assert tile.state.record["fault"]["policy"][item.code] == Policy[policy.upper()]
