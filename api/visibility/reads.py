"""The reads of a port that are passed on as they are. All else is refused, so that a new one is cut before it is used."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, ClassVar


class PassesOn:
    """Gives the attributes of `_whole` that `_READS` names. Raises AttributeError for others."""

    _READS: ClassVar[Collection[str]]
    _whole: Any

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    else:

        def __getattr__(self, name):
            if name not in type(self)._READS:
                raise AttributeError(f"{name} of {type(self).__name__}: this is not a read that is cut for a reader.")
            return getattr(self._whole, name)
