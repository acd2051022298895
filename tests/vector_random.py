"""Random programs in the vector unit's C++, and what NumPy says they compute.

Floats are small integers, so that every sum and product is exact however it is fused; they are
compared with halves, so that no zero's sign matters.
"""

import random
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

INTS, FLOATS = ("a", "b", "c"), ("p", "q")
Lanes = npt.NDArray[np.uint32]
Value = Callable[[dict[str, Lanes]], Lanes]


def signed(x: Lanes) -> npt.NDArray[np.int32]:
    return x.view(np.int32)


class Program:
    """``text`` is C++ over the variables; ``run`` changes an environment of their lanes."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.steps = self._block(1, 3 + seed % 5)

    @property
    def text(self) -> str:
        loads = [f"vInt {n} = as<vInt>(vUInt(dst_reg[{i}]));" for i, n in enumerate(INTS)]
        loads += [
            f"vFloat {n} = as<vFloat>(vUInt(dst_reg[{3 + i}]));" for i, n in enumerate(FLOATS)
        ]
        stores = [f"dst_reg[{i}] = as<vUInt>({n});" for i, n in enumerate((*INTS, *FLOATS))]
        return "void program() {\n" + "\n".join([*loads, *self.lines, *stores]) + "\n}\n"

    def run(self, rows: Lanes) -> Lanes:
        env = {name: rows[i].copy() for i, name in enumerate((*INTS, *FLOATS))}
        self.steps(env, np.ones(32, bool))
        return np.array(list(env.values()))

    def _emit(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def _block(self, depth: int, length: int) -> Callable[..., None]:
        steps = [self._statement(depth) for _ in range(length)]

        def run(env: dict[str, Lanes], mask: npt.NDArray[np.bool_]) -> None:
            for step in steps:
                step(env, mask)

        return run

    def _statement(self, depth: int) -> Callable[..., None]:
        kind = self.random.random()
        if kind < 0.3 and depth < 4:
            return self._conditional(depth)
        if kind < 0.36 and depth < 3:
            return self._loop(depth)
        name = self.random.choice(INTS + FLOATS)
        text, value = self._integer(2) if name in INTS else self._float(2)
        self._emit(depth, f"{name} = {text};")

        def assign(env: dict[str, Lanes], mask: npt.NDArray[np.bool_]) -> None:
            env[name] = np.where(mask, value(env), env[name])

        return assign

    def _loop(self, depth: int) -> Callable[..., None]:
        self._emit(depth, "#pragma GCC unroll 1\n    for (int i = 0; i < 2; ++i) {")
        body = self._block(depth + 1, 2)
        self._emit(depth, "}")

        def run(env: dict[str, Lanes], mask: npt.NDArray[np.bool_]) -> None:
            body(env, mask)
            body(env, mask)

        return run

    def _conditional(self, depth: int) -> Callable[..., None]:
        arms = []
        text, condition = self._condition(2)
        self._emit(depth, f"v_if({text}) {{")
        arms.append((condition, self._block(depth + 1, self.random.randint(1, 2))))
        while self.random.random() < 0.3 and len(arms) < 3:
            text, condition = self._condition(2)
            self._emit(depth, f"}} v_elseif({text}) {{")
            arms.append((condition, self._block(depth + 1, 1)))
        last = None
        if self.random.random() < 0.5:
            self._emit(depth, "} v_else {")
            last = self._block(depth + 1, 1)
        self._emit(depth, "} v_endif;")

        def run(env: dict[str, Lanes], mask: npt.NDArray[np.bool_]) -> None:
            left = mask
            for holds, body in arms:
                here = left & holds(env)
                body(env, here)
                left = left & ~here
            if last:
                last(env, left)

        return run

    def _condition(self, depth: int) -> tuple[str, Callable[..., npt.NDArray[np.bool_]]]:
        kind = self.random.random()
        if depth and kind < 0.45:
            a, fa = self._condition(depth - 1)
            b, fb = self._condition(depth - 1)
            if kind < 0.2:
                return f"({a} && {b})", lambda env: fa(env) & fb(env)
            return f"({a} || {b})", lambda env: fa(env) | fb(env)
        if depth and kind < 0.55:
            a, fa = self._condition(depth - 1)
            return f"!({a})", lambda env: ~fa(env)
        if kind < 0.7:
            name = self.random.choice(FLOATS)
            half = self.random.randint(-5, 4) + 0.5
            sign = self.random.choice(["<", ">", "<=", ">="])
            less = sign[0] == "<"
            return f"{name} {sign} {half}f", lambda env: (env[name].view(np.float32) < half) == less
        return self._comparison()

    def _comparison(self) -> tuple[str, Callable[..., npt.NDArray[np.bool_]]]:
        sign = self.random.choice(["<", ">=", "==", "!=", ">", "<="])
        a, fa = self._integer(1)
        if self.random.random() < 0.6:
            n = self.random.choice([0, 0, 1, -3, 100, 5000, -70000])
            b, fb = str(n), lambda env: np.full(32, n & 0xFFFFFFFF, np.uint32)
        else:
            b, fb = self._integer(1)
        if b == "0":
            tests = {"<": np.less, ">=": np.greater_equal, ">": np.greater, "<=": np.less_equal}
            if sign in tests:
                return f"{a} {sign} 0", lambda env: tests[sign](signed(fa(env)), 0)
        holds: dict[str, Callable[[Lanes, Lanes], npt.NDArray[np.bool_]]] = {
            "<": lambda x, y: signed(x - y) < 0,
            ">=": lambda x, y: signed(x - y) >= 0,
            ">": lambda x, y: signed(y - x) < 0,
            "<=": lambda x, y: signed(y - x) >= 0,
            "==": lambda x, y: x == y,
            "!=": lambda x, y: x != y,
        }
        return f"({a} {sign} {b})", lambda env: holds[sign](fa(env), fb(env))

    def _integer(self, depth: int) -> tuple[str, Value]:
        kind = self.random.random()
        if depth == 0 or kind < 0.2:
            if self.random.random() < 0.7:
                name = self.random.choice(INTS)
                return name, lambda env: env[name]
            n = self.random.choice([0, 1, -1, 7, 1000, 40000, -40000, 0x12345678])
            return f"vInt({n})", lambda env: np.full(32, n & 0xFFFFFFFF, np.uint32)
        a, fa = self._integer(depth - 1)
        if kind < 0.35:
            n = self.random.randint(1, 9)
            return f"as<vInt>(as<vUInt>({a}) >> {n})", lambda env: fa(env) >> np.uint32(n)
        if kind < 0.45:
            n = self.random.randint(1, 9)
            return f"({a} << {n})", lambda env: fa(env) << np.uint32(n)
        if kind < 0.52:
            return f"~{a}", lambda env: ~fa(env)
        if kind < 0.58:
            text, holds = self._condition(1)
            return f"vInt(vBool({text}))", lambda env: holds(env).astype(np.uint32)
        b, fb = self._integer(depth - 1)
        sign = self.random.choice(["+", "-", "&", "|", "^"])
        functions = {"+": np.add, "-": np.subtract, "&": np.bitwise_and, "|": np.bitwise_or}
        function = functions.get(sign, np.bitwise_xor)
        return f"({a} {sign} {b})", lambda env: function(fa(env), fb(env))

    def _float(self, depth: int) -> tuple[str, Value]:
        kind = self.random.random()
        if depth == 0 or kind < 0.3:
            if self.random.random() < 0.6:
                name = self.random.choice(FLOATS)
                return name, lambda env: env[name]
            n = float(self.random.choice([0, 1, -1, 2, 3, -4]))
            return f"vFloat({n}f)", lambda env: np.full(32, n, np.float32).view(np.uint32)
        a, fa = self._float(depth - 1)
        if kind < 0.4:
            return f"-{a}", lambda env: fa(env) ^ np.uint32(1 << 31)
        if kind < 0.5:
            return f"abs({a})", lambda env: fa(env) & np.uint32(0x7FFFFFFF)
        b, fb = self._float(depth - 1)
        if kind < 0.6:
            name, function = self.random.choice([("min", np.minimum), ("max", np.maximum)])
        else:
            name, function = self.random.choice(
                [("+", np.add), ("-", np.subtract), ("*", np.multiply)]
            )
        text = f"{name}({a}, {b})" if len(name) > 1 else f"({a} {name} {b})"

        def value(env: dict[str, Lanes]) -> Lanes:
            x, y = fa(env).view(np.float32), fb(env).view(np.float32)
            return function(x, y).astype(np.float32).view(np.uint32)

        return text, value
