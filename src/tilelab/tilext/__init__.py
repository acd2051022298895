"""The RISC-V Tile Extension: assembler, disassembler, reference and a model of what is specified.

Everything derives from :mod:`tilelab.tilext.table` (the document as printed) and
:mod:`tilelab.tilext.repairs` (what we read into it); :mod:`tilelab.tilext.questions` is what the
document leaves open.
"""

from tilelab.sim.errors import TilelabError
from tilelab.sim.renamed import renamed
from tilelab.tilext.assembler import assemble_text, format_words, to_bytes
from tilelab.tilext.disassembler import disassemble_words
from tilelab.tilext.errors import MissingSpecification
from tilelab.tilext.machine import run, run_threads
from tilelab.tilext.profile import load_profile
from tilelab.tilext.state import Parameters, TileCore

__getattr__ = renamed(__name__, {"TilextError": TilelabError})

__all__ = [
    "MissingSpecification",
    "Parameters",
    "TileCore",
    "assemble_text",
    "disassemble_words",
    "format_words",
    "load_profile",
    "run",
    "run_threads",
    "to_bytes",
]
