"""What can go wrong with the Tile Extension: one family, within tilelab's own."""

from tilelab.sim.errors import BadInputError, MissingSpecificationError, TilelabError
from tilelab.tilext.questions import QUESTIONS, Question


class TilextError(TilelabError):
    """Root of the family: ``summary`` is the first line, ``detail`` what follows it."""


class BadInput(TilextError, BadInputError):  # noqa: N818
    """Input that is not what it should be: a file, an option, an overlay."""


class AssemblyError(BadInput):
    """A line of assembly that cannot become words; ``line`` counts from 1."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {message}" if line else message)
        self.line = line


class IllegalInstruction(BadInput):
    """Words or values that the document calls illegal, or that contradict each other."""


class NotEncodable(BadInput):
    """An instruction whose words this profile cannot write."""


class ProgramError(TilextError):
    """A running program does something wrong: an access outside memory, a deadlock."""


class MissingSpecification(TilextError, MissingSpecificationError):  # noqa: N818
    """The document does not say; ``question`` is what its owners have to answer."""

    def __init__(self, key: str, where: str) -> None:
        self.question: Question = QUESTIONS[key]
        super().__init__(
            f"{where}: not specified ({key})",
            f"seed lines {self.question.lines}: {self.question.ask}\n{self.question.reading}",
        )
