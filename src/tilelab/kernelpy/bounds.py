"""Bounds checks in compiled kernels: what is outside is noted, and nothing outside is touched.

Compiled code cannot raise Python's errors. A check that fails notes its place and the index, if
it is the first, and goes on with index 0; whoever called the code asks
:meth:`build.Library.raise_outside`.
"""

from llvmlite import ir

from tilelab.kernelpy.machine import I64, POINTER

SITE, INDEX = "outside_site", "outside_index"
"""Exported functions: address of the noted text (0: none) and the index. The first one forgets."""


def define(module: ir.Module) -> ir.Function:
    """Add the check and what tells its notes to a module."""
    site = ir.GlobalVariable(module, I64, "bounds.site")
    index = ir.GlobalVariable(module, I64, "bounds.index")
    for variable in (site, index):
        variable.initializer, variable.linkage = ir.Constant(I64, 0), "internal"
    check = ir.Function(module, ir.FunctionType(I64, [I64, I64, POINTER]), "bounds.check")
    check.linkage = "internal"
    check.attributes.add("noinline")
    builder = ir.IRBuilder(check.append_basic_block())
    given, length, text = check.args
    with builder.if_then(builder.icmp_unsigned("<", given, length)):
        builder.ret(given)
    first = builder.icmp_unsigned("==", builder.load(site, typ=I64), ir.Constant(I64, 0))
    with builder.if_then(first):
        builder.store(builder.ptrtoint(text, I64), site)
        builder.store(given, index)
    builder.ret(ir.Constant(I64, 0))
    for name, variable in ((SITE, site), (INDEX, index)):
        tell = ir.Function(module, ir.FunctionType(I64, []), name)
        builder = ir.IRBuilder(tell.append_basic_block())
        value = builder.load(variable, typ=I64)
        builder.store(ir.Constant(I64, 0), variable)
        builder.ret(value)
    return check


def text(module: ir.Module, words: str) -> ir.GlobalVariable:
    """A text as constant memory."""
    data = bytearray(words.encode() + b"\0")
    kind = ir.ArrayType(ir.IntType(8), len(data))
    made = ir.GlobalVariable(module, kind, module.get_unique_name("site"))
    made.initializer, made.linkage = ir.Constant(kind, data), "internal"
    made.global_constant = True
    return made
