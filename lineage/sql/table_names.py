"""A table as a text names it, among the names of datasets: equal, or longer or shorter by leading parts, in any case."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def named(table: str, candidates: Iterable[T], spellings: Callable[[T], Iterable[str]]) -> list[T]:
    """The candidates that a table of a text can be, by the closest kind of likeness; none where none is like it."""
    wanted = table.lower()
    candidates = list(candidates)
    for fits in (_equal, _ends, _begins):
        fitting = [each for each in candidates if any(fits(wanted, name.lower()) for name in spellings(each))]
        if fitting:
            return fitting
    return []


def last_part(name: str) -> str:
    """The table's own name in lower case, without catalog, schema and quotes."""
    return name.rpartition(".")[2].strip('"`[]').lower()


def _equal(table: str, name: str) -> bool:
    return table == name


def _ends(table: str, name: str) -> bool:
    """`orders` names `shop.public.orders`."""
    return name.endswith(f".{table}")


def _begins(table: str, name: str) -> bool:
    """`catalog.shop.orders` names `shop.orders`."""
    return table.endswith(f".{name}")
