"""What can go wrong with the Tile Extension, of tilelab's one family of errors."""

from tilelab.sim.errors import (
    BadInputError,
    MissingSpecificationError,
    ProgramError,
    SourceError,
    TilelabError,
)
from tilelab.sim.renamed import renamed
from tilelab.tilext.questions import QUESTIONS, Question

__all__ = [
    "AssemblyError",
    "IllegalInstruction",
    "MissingSpecification",
    "NotEncodable",
    "ProgramError",
]
__getattr__ = renamed(__name__, {"TilextError": TilelabError, "BadInput": BadInputError})


class AssemblyError(SourceError):
    """A line of assembly that cannot become words."""


class IllegalInstruction(BadInputError):  # noqa: N818
    """Words or values that the document calls illegal, or that contradict each other."""


class NotEncodable(BadInputError):  # noqa: N818
    """An instruction whose words this profile cannot write."""


class MissingSpecification(MissingSpecificationError):  # noqa: N818
    """The document does not say; ``question`` is what its owners have to answer."""

    def __init__(self, key: str, where: str) -> None:
        self.question: Question = QUESTIONS[key]
        super().__init__(
            f"{where}: not specified ({key})",
            f"seed lines {self.question.lines}: {self.question.ask}\n{self.question.reading}",
        )
