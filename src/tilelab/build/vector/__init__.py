"""Gives values of the vector unit their registers: from a compiler's assembly to instruction words.

The headers (``include/sfpi``) write each of the unit's instructions as a line ``tt.vec …`` whose
operands are floating-point registers, which a tile's cores do not have: to the compiler a vector
value is a float, so that it inlines, unrolls and brings values to SSA form and back by itself.
Here those names, of which there are 32, are taken as no more than names: values are told apart
again, conditions become lane flags, and each value gets one of the eight LRegs.

``text`` reads assembly, ``code`` what is in it, ``conditions`` and ``simplify`` rewrite it,
``liveness`` and ``colour`` allocate, ``emit`` writes words. For the vendor's kernels, ``outermost``
then saves the flag stack, and ``replays`` has the replay buffer issue what repeats.
"""

from tilelab.build.vector.outermost import without_outermost_pushes
from tilelab.build.vector.pipeline import complete
from tilelab.build.vector.replays import with_replays

__all__ = ["complete", "with_replays", "without_outermost_pushes"]
