"""Files in other languages that exports begin with, each in its own language."""

from functools import partial

from tilelab.sim.texts import text_of

template = partial(text_of, __package__)
"""One of the files beside this module; ``@NAME@`` in it stands for a fact of that name."""
