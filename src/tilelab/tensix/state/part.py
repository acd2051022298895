"""The type of a part of the state, as its users see it: read as a NumPy view, written as one."""

from typing import Any, Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt

T = TypeVar("T", bound=np.generic)


class Part(Generic[T]):
    """A part of the state. Nothing is ever made of this: type checkers read it."""

    @overload
    def __get__(self, owner: None, kind: type) -> "Part[T]": ...
    @overload
    def __get__(self, owner: object, kind: type) -> npt.NDArray[T]: ...
    def __get__(self, owner: object, kind: type) -> Any:
        """The part, as an array over the state's memory."""
        raise NotImplementedError

    def __set__(self, owner: object, value: npt.ArrayLike) -> None:
        """Write it."""
        raise NotImplementedError
