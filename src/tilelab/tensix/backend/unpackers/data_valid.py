"""SETDVALID: Src banks given to the matrix unit without unpacking.

On Blackhole no document says which format a bank then has. It keeps the one that it
had last; the vendor's kernels that use it have the matrix unit go by the configured formats.
"""

from tilelab.sim.checks import Policy, check, refuse
from tilelab.sim.errors import NonContractualBehaviorError, UnsupportedFunctionalityError
from tilelab.sim.kernel import OK
from tilelab.tensix.backend.semantics import BOTH, semantics, thread_config
from tilelab.tensix.backend.src_registers import SRCS
from tilelab.tensix.backend.unpackers.banks import check_gift, give_src
from tilelab.tensix.state.records import State

SETDVALID_FORMAT = check(
    "setdvalid-format",
    UnsupportedFunctionalityError,
    "SETDVALID {value} says nothing of the Src bank's format: it keeps the one it had",
    page="SETDVALID.md",
    cure="use UNPACR_NOP with set_dvalid, or set DISABLE_IMPLIED_SRCA_FMT and _SRCB_FMT",
    policy=Policy.WARN,
)
SETDVALID_NONE = check(
    "setdvalid-none",
    NonContractualBehaviorError,
    "SETDVALID {value} gives no bank to the matrix unit",
    page="SETDVALID.md",
    policy=Policy.ERROR,
)


@semantics("SETDVALID", BOTH)
def setdvalid(s: State, t: int, setvalid: int) -> int:
    """Give the unpackers' Src banks to the matrix unit (SETDVALID.md)."""
    if s.arch.implied_src_format and setvalid:
        configured = thread_config(s, t, s.f.DISABLE_IMPLIED_SRCA_FMT_Base)
        if setvalid & 2:
            configured &= thread_config(s, t, s.f.DISABLE_IMPLIED_SRCB_FMT_Base)
        if not configured and refuse(s, SETDVALID_FORMAT, setvalid):
            return SETDVALID_FORMAT
    if not setvalid and refuse(s, SETDVALID_NONE, setvalid):
        return SETDVALID_NONE
    for which in SRCS:
        if setvalid >> which & 1:
            code = check_gift(s, which)
            if code != OK:
                return code
    for which in SRCS:
        if setvalid >> which & 1:
            give_src(s, t, which, s.src[which].format[s.src[which].unpack_bank])
    return OK
