"""Values as texts of one line, in words: no JSON, no control character that would move the cursor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from catalog.unseen import written_out as plain

__all__ = ["cell", "cell_len", "parts", "plain"]


def cell(value: Any, *, exact: bool = False) -> str:
    """A value as one cell: `yes`, `a, b`, `name=Ana, address=(city=Bonn, zip=53111)`.

    `exact`: of a record, so numbers keep all their digits and what is not there is `null`.
    """
    if value is None:
        return "null" if exact else ""
    if isinstance(value, list | tuple) and not value:
        return "[]" if exact else ""
    return _inner(value, exact, outermost=True)


def _inner(value: Any, exact: bool, *, outermost: bool = False) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower() if exact else "yes" if value else "no"
        case float():
            return repr(value) if exact or not abs(value) < 100 else f"{value:.3g}"
        case list() | tuple():
            shown = ", ".join(_inner(each, exact) for each in value)
            return shown if outermost else f"[{shown}]"
        case Mapping():
            shown = ", ".join(f"{plain(str(key))}={_inner(each, exact)}" for key, each in value.items())
            return shown if outermost and shown else f"({shown})"
        case _:
            return plain(str(value))


def cell_len(text: str) -> int:
    """Cells of a terminal that a text without control characters takes: two of a wide character."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len as measured

    return measured(text)


def parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """(path, value) of a value and of those inside it: `customer` with a name becomes `customer.name`."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from parts(f"{name}.{plain(str(key))}", inner)
    else:
        yield name, value
