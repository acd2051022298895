"""The IR's operations: a row for each that moves tiles or synchronises, and those that are kept as
words: views, tile operations, arithmetic, calls.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Transfer:
    """An operation on a pipe: what it does there, and whether it means the function's own pipe (a
    frontend operation) or names one.
    """

    verb: str  # push, pop, free, drain
    frontend: bool = False


TRANSFERS = {
    "pto.tpush": Transfer("push"),
    "pto.tpop": Transfer("pop"),
    "pto.tfree": Transfer("free"),
    "pto.tdrain": Transfer("drain"),
    "pto.tpush_to_aiv": Transfer("push", frontend=True),
    "pto.tpush_to_aic": Transfer("push", frontend=True),
    "pto.tpop_from_aic": Transfer("pop", frontend=True),
    "pto.tpop_from_aiv": Transfer("pop", frontend=True),
    "pto.tfree_from_aic": Transfer("free", frontend=True),
    "pto.tfree_from_aiv": Transfer("free", frontend=True),
}
MOVES = frozenset(name for name, row in TRANSFERS.items() if row.verb in ("push", "pop"))
FRONTEND_MOVES = frozenset(name for name in MOVES if TRANSFERS[name].frontend)


@dataclass(frozen=True)
class Initialize:
    """An operation that opens a pipe: whether its slots lie in GM, and whether it is the
    frontend's, which names all three buffers.
    """

    through_gm: bool = False
    frontend: bool = False


INITIALIZERS = {
    "pto.aic_initialize_pipe": Initialize(frontend=True),
    "pto.aiv_initialize_pipe": Initialize(frontend=True),
    "pto.initialize_l2g2l_pipe": Initialize(through_gm=True),
    "pto.initialize_l2l_pipe": Initialize(),
}
SIGNALS = ("pto.set_cross_core", "pto.set_intra_block")
WAITS = ("pto.wait_flag_dev", "pto.wait_intra_core")
RESERVES = ("pto.reserve_buffer", "pto.import_reserved_buffer")
SECTIONS = {"pto.section.cube": "cube", "pto.section.vector": "vector"}
# Operations with clauses of their own; of the others the words are kept as they stand.
OPERATIONS = frozenset(
    {*TRANSFERS, *INITIALIZERS, *SIGNALS, *WAITS, *RESERVES}
    | {*SECTIONS, "pto.declare_tile", "arith.constant", "scf.for", "scf.while", "scf.if", "return"}
)

BINARY = {
    "tadd": "add", "tsub": "subtract", "tmul": "multiply", "tdiv": "divide", "tmax": "maximum",
    "tmin": "minimum", "trem": "fmod", "tpartadd": "add", "tpartmul": "multiply",
    "tpartmax": "maximum", "tpartmin": "minimum", "taddc": "", "taxpy": "",
}  # fmt: skip
UNARY = {
    "tneg": "negative", "tabs": "abs", "texp": "exp", "tlog": "log", "tsqrt": "sqrt",
    "trecip": "reciprocal", "trsqrt": "",
    "trelu": "", "tmov": "", "tcvt": "",
}  # fmt: skip
SCALAR = {
    "tadds": "add", "tsubs": "subtract", "tmuls": "multiply", "tdivs": "divide", "tmaxs": "maximum",
    "tmins": "minimum", "trems": "fmod",
}  # fmt: skip
REDUCE = {
    "trowmax": ("max", 1), "trowmin": ("min", 1), "trowsum": ("sum", 1), "tcolmax": ("max", 0),
    "tcolmin": ("min", 0), "tcolsum": ("sum", 0), "trowargmax": ("argmax", 1),
    "trowargmin": ("argmin", 1), "tcolargmax": ("argmax", 0), "tcolargmin": ("argmin", 0),
}  # fmt: skip
EXPAND = {
    "trowexpand": "", "tcolexpand": "", "trowexpandadd": "add", "trowexpandsub": "subtract",
    "trowexpandmul": "multiply", "trowexpanddiv": "divide", "trowexpandmax": "maximum",
    "trowexpandmin": "minimum", "tcolexpandadd": "add", "tcolexpandsub": "subtract",
    "tcolexpandmul": "multiply", "tcolexpanddiv": "divide", "tcolexpandmax": "maximum",
    "tcolexpandmin": "minimum",
}  # fmt: skip
SCRATCH = frozenset({"trem", "trems", "trsqrt", "tcvt", "trecip"})
"""Operations that may name a tile of scratch behind their operands."""
ORDERING = ("record_event", "wait_event", "set_flag", "wait_flag", "barrier_sync",
            "set_flag_dyn", "wait_flag_dyn", "auto_sync_tail_hint")  # fmt: skip
"""They order pipes of one core, which here does one operation after another."""
ARITH = ("addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "minsi", "maxsi", "cmpi",
         "index_cast", "index_castui", "extsi", "extui", "trunci", "andi", "ori", "xori",
         "select")  # fmt: skip
WORDS = frozenset(
    [f"pto.{name}" for name in (*BINARY, *UNARY, *SCALAR)]
    + [f"arith.{name}" for name in ARITH]
    + [f"pto.{name}" for name in (*REDUCE, *EXPAND, *ORDERING)]
    + [
        "pto.tload", "pto.tstore", "pto.tmatmul", "pto.tmatmul_acc", "pto.tmatmul.acc",
        "pto.tmatmul.bias", "pto.textract", "pto.tinsert", "pto.texpands", "pto.get_subblock_num",
        "scf.yield", "scf.condition", "pto.tprint", "pto.alloc_tile", "memref.alloc",
        "memref.dealloc", "pto.set_validshape", "pto.tassign", "pto.subset", "pto.subview",
        "pto.barrier", "pto.get_buf", "pto.rls_buf", "pto.treshape",
        "pto.declare_eventid_array", "pto.eventid_array_set",
        "pto.eventid_array_get", "pto.tconcat", "pto.tprefetch", "pto.tfillpad",
        "pto.tfillpad_inplace",
        "pto.make_tensor_view", "pto.partition_view", "pto.addptr", "pto.get_subblock_idx",
        "pto.get_block_idx", "pto.get_block_num", "pto.set_ffts", "pto.tsync", "func.call", "call",
    ]
)  # fmt: skip
