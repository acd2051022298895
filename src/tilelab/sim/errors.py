"""One family of errors, in the categories that the vendor's simulator names.

Every error has a one-line ``summary`` (what a user reads first) and optional ``detail``.
Categories are classes, so that a caller can catch one; ``exit_code`` is what the command line
returns: 2 for what is found before the first instruction runs, 1 for what a program does wrong.
"""

import traceback
from typing import Any, ClassVar


class TilelabError(Exception):
    """Root of everything that tilelab raises on purpose."""

    exit_code: ClassVar[int] = 1
    code: str = ""
    """Its number in the documentation, where it has one."""

    def __init__(self, summary: str, detail: str = "") -> None:
        super().__init__(summary)
        self.summary = summary
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.summary}\n{self.detail}" if self.detail else self.summary

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled with whatever it carries: some runs are processes of their own."""
        return _again, (type(self), self.__dict__)


def _again(kind: type[TilelabError], state: dict[str, Any]) -> TilelabError:
    error = kind.__new__(kind, state["summary"])
    error.__dict__.update(state)
    return error


class BadInputError(TilelabError):
    """A file, word, option or argument that cannot be used; nothing has run."""

    exit_code = 2


class SourceError(BadInputError):
    """A line of a source text that means nothing; ``line`` counts from 1, 0 where none is known."""

    def __init__(self, summary: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {summary}" if line else summary)
        self.line = line


class ProgramError(TilelabError):
    """A program that failed its own check, raised, or does what no machine could do for it."""


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
    """Nothing can make progress any more; ``report`` says who waits for whom, if that is known."""

    category = "Deadlock"

    def __init__(self, summary: str, detail: str = "", report: Any = None) -> None:
        super().__init__(summary, detail)
        self.report = report


class CycleLimitError(MachineError):
    """The program was still running when the limit on cycles was reached."""

    category = "CycleLimit"


class DefectError(AssertionFailureError):
    """A defect of tilelab: what ran has not been judged."""

    exit_code = 2


def unforeseen(error: BaseException) -> DefectError:
    """A defect of tilelab as an error of the run that met it; the detail is the traceback."""
    text = (str(error).splitlines() or [""])[0]
    summary = f"AssertionFailure: {type(error).__name__}" + (f": {text}" if text else "")
    return DefectError(summary, "".join(traceback.format_exception(error)).rstrip())
