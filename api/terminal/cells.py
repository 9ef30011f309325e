"""Values as texts of one line, in words: no JSON, no control character that would move the cursor."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


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


def plain(text: str) -> str:
    """A text with its line ends and other control characters written out: `\\n`, `\\x1b`."""
    return _CONTROLS.sub(lambda match: _written(match[0]), text)


def _written(sign: str) -> str:
    return _SHORT.get(sign) or (f"\\x{ord(sign):02x}" if ord(sign) < 256 else f"\\u{ord(sign):04x}")


def parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """(path, value) of a value and of those inside it: `customer` with a name becomes `customer.name`."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from parts(f"{name}.{plain(str(key))}", inner)
    else:
        yield name, value
