"""One family of errors, in the categories that the vendor's simulator names.

Every error has a one-line ``summary`` (what a user reads first) and optional ``detail``.
Categories are classes, so that a caller can catch one; ``exit_code`` is what the command line
returns: 2 for what is found before the first instruction runs, 1 for what a program does wrong.
"""

from typing import ClassVar


class TilelabError(Exception):
    """Root of everything that tilelab raises on purpose."""

    exit_code: ClassVar[int] = 1

    def __init__(self, summary: str, detail: str = "") -> None:
        super().__init__(summary)
        self.summary = summary
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.summary}\n{self.detail}" if self.detail else self.summary


class BadInputError(TilelabError):
    """A file, word, option or argument that cannot be used; nothing has run."""

    exit_code = 2


class MachineError(TilelabError):
    """A running program did something that the machine does not allow or tilelab does not model."""

    category: ClassVar[str] = "MachineError"


class UndefinedBehaviorError(MachineError):
    """The specification leaves undefined what the program does."""

    category = "UndefinedBehavior"


class UnpredictableValueUsedError(MachineError):
    """The program used a value that nothing determines."""

    category = "UnpredictableValueUsed"


class NonContractualBehaviorError(MachineError):
    """The program depends on behaviour that the specification says not to depend on."""

    category = "NonContractualBehavior"


class UnsupportedFunctionalityError(MachineError):
    """tilelab does not model this, and does not plan to without a need."""

    category = "UnsupportedFunctionality"


class UnimplementedFunctionalityError(MachineError):
    """tilelab does not model this yet."""

    category = "UnimplementedFunctionality"


class UntestedFunctionalityError(MachineError):
    """Modelled from the documents, but no oracle has confirmed this case."""

    category = "UntestedFunctionality"


class MissingSpecificationError(MachineError):
    """No document says what the machine does here."""

    category = "MissingSpecification"


class AssertionFailureError(MachineError):
    """tilelab's own state is inconsistent: a defect of tilelab."""

    category = "AssertionFailure"


class DeadlockError(MachineError):
    """Nothing can make progress any more."""

    category = "Deadlock"


class CycleLimitError(MachineError):
    """The program was still running when the limit on cycles was reached."""

    category = "CycleLimit"
