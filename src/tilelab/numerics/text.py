"""Explanations and errors as text."""

from collections.abc import Iterator, Sequence

from tilelab.formats.layout import FACE
from tilelab.numerics.errors import BINS, Errors
from tilelab.numerics.explain import (
    FRACTION,
    GROUP,
    TERM_FRACTION,
    Explanation,
    Group,
    Product,
    Step,
)

BARS = " ▁▂▃▄▅▆▇█"
COLUMNS = (
    f"{'k':>5} {'A':>12} {'slice in SrcB':>14} {'B':>12} {'slice in SrcA':>14} "
    f"{'product':>10} {'shift':>6} {'rounded':>8}"
)


def explanation_lines(found: Explanation) -> Iterator[str]:
    """Yield the lines of an explanation: what was asked, each MVMUL, the result."""
    yield (
        f"element {found.row}, {found.column} of A @ B: {found.data_format} operands, "
        f"{found.fidelity}, {found.dst} in Dst, {found.arch}"
    )
    for index, step in enumerate(found.steps):
        yield ""
        last = step.first_k + FACE - 1
        yield (
            f"MVMUL {index + 1} of {len(found.steps)}: phase {step.phase}, k {step.first_k} "
            f"to {last}"
        )
        yield COLUMNS
        for group in step.groups:
            yield from (_product_line(p) for p in group.products if p.shift is not None)
            yield _group_line(group, found.bias)
        yield from _sum_lines(step, found.bias)
    yield ""
    yield f"result  {found.result!r}  ({found.bits:#010x} in fp32's layout)"
    yield f"float64 {found.exact!r}"
    yield f"error   {found.error:.6g}"


def _product_line(product: Product) -> str:
    a, b = product.a, product.b
    return (
        f"{product.k:>5} {a.value:>12.6g} {a.significand:>14} {b.value:>12.6g} "
        f"{b.significand:>14} {product.product:>10} {product.shift:>6} {product.rounded:>8}"
    )


def _group_line(group: Group, bias: int) -> str:
    first = group.products[0].k
    head = f"      k {first} to {first + GROUP - 1}:"
    zeros = sum(product.shift is None for product in group.products)
    if zeros == GROUP:
        return f"{head} nothing but zeros"
    scale = group.exponent - bias - FRACTION
    tail = f", {zeros} zero" if zeros else ""
    return f"{head} sum {group.total} in units of 2^{scale} = {group.value!r}{tail}"


def _sum_lines(step: Step, bias: int) -> Iterator[str]:
    scale = step.exponent - bias - TERM_FRACTION
    yield (
        f"      aligned to units of 2^{scale}: {step.terms[0]:+} {step.terms[1]:+}, "
        f"Dst {step.terms[2]:+} = {step.total}"
    )
    yield (
        f"      Dst {step.dst_before!r} becomes {step.dst_after!r} ({step.dst_bits}); "
        f"float64 up to here {step.exact!r}"
    )


def error_lines(found: Sequence[Errors]) -> Iterator[str]:
    """Yield a table of errors, then a histogram of each fidelity."""
    yield f"{'':7} {'median':>10} {'mean':>10} {'largest':>10} {'bias':>11} {'exact':>7}"
    for row in found:
        yield (
            f"{row.fidelity:7} {row.median:10.3g} {row.mean:10.3g} {row.largest:10.3g} "
            f"{row.bias:+11.3g} {row.exact / row.samples:7.1%}"
        )
    yield ""
    yield f"how many results have an error of 2^{BINS[0]} (left) to 2^{BINS[-1]} (right):"
    top = max((max(row.histogram) for row in found), default=0) or 1
    for row in found:
        bars = "".join(BARS[-(-n * (len(BARS) - 1) // top)] for n in row.histogram)
        yield f"{row.fidelity:7} |{bars}|"
