"""The operations that are kept as words: views, tile operations, arithmetic, calls."""

BINARY = {
    "tadd": "add", "tsub": "subtract", "tmul": "multiply", "tdiv": "divide", "tmax": "maximum",
    "tmin": "minimum",
}  # fmt: skip
UNARY = {
    "tneg": "negative", "tabs": "abs", "texp": "exp", "tlog": "log", "tsqrt": "sqrt",
    "trecip": "reciprocal",
    "trelu": "", "tmov": "", "tcvt": "",
}  # fmt: skip
SCALAR = {
    "tadds": "add", "tsubs": "subtract", "tmuls": "multiply", "tdivs": "divide", "tmaxs": "maximum",
    "tmins": "minimum",
}  # fmt: skip
ARITH = ("addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "minsi", "maxsi", "cmpi",
         "index_cast",         "index_castui", "extsi", "extui", "trunci")  # fmt: skip
WORDS = frozenset(
    [f"pto.{name}" for name in (*BINARY, *UNARY, *SCALAR)]
    + [f"arith.{name}" for name in ARITH]
    + [
        "pto.tload", "pto.tstore", "pto.tmatmul", "pto.tmatmul_acc", "pto.tprint", "pto.alloc_tile",
        "pto.make_tensor_view", "pto.partition_view", "pto.addptr", "pto.get_subblock_idx",
        "pto.get_block_idx", "pto.get_block_num", "pto.set_ffts", "func.call", "call",
    ]
)  # fmt: skip
