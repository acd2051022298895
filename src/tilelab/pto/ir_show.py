"""The text of an IR module, which parses to the same module."""

import math
import re
import sys
from typing import Any

import numpy as np

from tilelab.pto.ir_tree import Module, Op, Operand
from tilelab.pto.ir_words import SECTIONS


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
            carried = f" iter_args({_carried(op)}) -> ({', '.join(op.types)})" if op.carried else ""
            bounds = f"{op.attributes['variable']} = {low} to {high} step {step}"
            lines.append(f"{head}scf.for {bounds}{carried} {{")
            lines += [*_block(op.body, indent + "  "), f"{indent}}}"]
        elif op.name == "scf.if":
            arrow = f" -> ({', '.join(op.types)})" if op.types else ""
            lines.append(f"{head}scf.if {op.operands[0].value}{arrow} {{")
            lines += _block(op.body, indent + "  ")
            if op.orelse:
                lines += [f"{indent}}} else {{", *_block(op.orelse, indent + "  ")]
            lines.append(f"{indent}}}")
        elif op.name == "scf.while":
            types = f"({', '.join(op.types)})"
            given = ", ".join(
                f"{name}: {kind}" for name, kind in zip(op.arguments, op.types, strict=True)
            )
            lines.append(f"{head}scf.while ({_carried(op)}) : {types} -> {types} {{")
            lines += [
                *_block(op.body, indent + "  "),
                f"{indent}}} do {{",
                f"{indent}^bb0({given}):",
            ]
            lines += [*_block(op.orelse, indent + "  "), f"{indent}}}"]
        elif op.name in SECTIONS:
            lines += [f"{head}{op.name} {{", *_block(op.body, indent + "  "), f"{indent}}}"]
        elif op.style == "words":
            lines.append(f"{head}{op.name} {' '.join(op.words)}".rstrip())
        elif op.name == "arith.constant":
            lines.append(f"{head}arith.constant {_constant(op)} : {op.result_type}")
        else:
            lines.append(head + op.name + _operands(op))
    return lines


def _constant(op: Op) -> str:
    value = op.attributes["value"]
    if isinstance(value, float) and not math.isfinite(value):  # written as bits, as MLIR does
        bits = np.dtype(f"f{int(op.result_type.strip('bf')) // 8}").type(value).tobytes()
        return f"0x{int.from_bytes(bits, sys.byteorder):X}"
    return str(value)


def _carried(op: Op) -> str:
    return ", ".join(f"{inside} = {before}" for inside, before in op.carried)


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
