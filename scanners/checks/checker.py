"""Decoded values checked against what a schema expects (`scanners.schemas.expect`). Runs in Spark's workers.

Only names of the schema are reported, never a value nor another name of a record.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from catalog.paths import FieldPath
from scanners.schemas.expect import Form

Report = Callable[[str, str, str], None]
"""Receives (path, why, expected type) of each departure."""

_DATE = re.compile(r"[+-]?\d{4,}-\d\d-\d\d\Z")
_MOMENT = re.compile(r"[+-]?\d{4,}-\d\d-\d\d[T ]\d\d:\d\d")

IS: dict[str, Callable[[Any], bool]] = {
    "boolean": lambda v: type(v) is bool,
    "int8": lambda v: type(v) is int and -(2**7) <= v < 2**7,
    "int16": lambda v: type(v) is int and -(2**15) <= v < 2**15,
    "int32": lambda v: type(v) is int and -(2**31) <= v < 2**31,
    "int64": lambda v: type(v) is int and -(2**63) <= v < 2**63,
    "integer": lambda v: type(v) is int or (type(v) is float and v.is_integer()),
    "number": lambda v: type(v) in (int, float, Decimal),
    "string": lambda v: type(v) in (str, UUID),
    "binary": lambda v: type(v) in (bytes, str),
    "date": lambda v: type(v) is date or (type(v) is str and _DATE.match(v) is not None),
    "timestamp": lambda v: type(v) is datetime or (type(v) is str and _MOMENT.match(v) is not None),
}


class Checker:
    """Holds decoded values against a form. Built once a worker; one walk a record."""

    def __init__(self, form: Form, root: str) -> None:
        self._check = _compile(form, FieldPath(root))
        self._found: list[tuple[str, str, str]] = []

    def __call__(self, value: Any) -> set[tuple[str, str, str]]:
        """(path, why, expected type) of everything that departs, each once."""
        self._check(value, self._report)
        if not self._found:
            return set()
        departures = set(self._found)
        self._found.clear()
        return departures

    def _report(self, path: str, why: str, expected: str) -> None:
        self._found.append((path, why, expected))


def _compile(form: Form, path: FieldPath) -> Callable[[Any, Report], None]:
    at, expected = str(path), str(form.get("type", ""))
    if form["kind"] == "open":
        return lambda value, report: None
    if form["kind"] == "leaf":
        return _leaf(form, at)
    inner = _INNER[form["kind"]](form, path)
    nullable = form["nullable"]

    def check(value: Any, report: Report) -> None:
        if value is None:
            if not nullable:
                report(at, "null", expected)
        elif not inner(value, report):
            report(at, "type", expected)

    return check


Inner = Callable[[Any, Report], bool]  # False: of another type altogether


def _struct(form: Form, path: FieldPath) -> Inner:
    fields = {name: _compile(child, path.field(name)) for name, child in form["fields"].items()}
    required = {name: str(path.field(name)) for name in form.get("required") or ()}
    types = {name: str(form["fields"][name].get("type", "")) for name in required if name in form["fields"]}

    def check(value: Any, report: Report) -> bool:
        if type(value) is not dict:
            return False
        for name, below in value.items():
            check_field = fields.get(name)
            if check_field is not None:
                check_field(below, report)
        for name, at in required.items():
            if name not in value:
                report(at, "missing", types.get(name, ""))
        return True

    return check


def _list(form: Form, path: FieldPath) -> Inner:
    item = _compile(form["items"], path.elements())

    def check(value: Any, report: Report) -> bool:
        if type(value) is not list:
            return False
        for below in value:
            item(below, report)
        return True

    return check


def _map(form: Form, path: FieldPath) -> Inner:
    entry = _compile(form["values"], path.values())

    def check(value: Any, report: Report) -> bool:
        if type(value) is not dict:
            return False
        for below in value.values():
            entry(below, report)
        return True

    return check


def _leaf(form: Form, at: str) -> Callable[[Any, Report], None]:
    tests = [IS[name] for name in form["is"]]
    first = tests[0] if tests else _nothing
    others, nullable, expected = tests[1:], form["nullable"], str(form.get("type", ""))

    def check(value: Any, report: Report) -> None:
        if value is None:
            if not nullable:
                report(at, "null", expected)
        elif not first(value) and not any(test(value) for test in others):
            report(at, "type", expected)

    return check


def _nothing(value: Any) -> bool:
    return False


def _union(form: Form, path: FieldPath) -> Inner:
    """The option that fits without a departure; else the first option of the same kind reports its departures."""
    options = [_compile(option, path) for option in form["of"]]

    def check(value: Any, report: Report) -> bool:
        best: list[tuple[str, str, str]] | None = None
        for option in options:
            departures: list[tuple[str, str, str]] = []
            option(value, lambda *departure, departures=departures: departures.append(departure))
            if not departures:
                return True
            if departures[0][:2] != (str(path), "type") and (best is None or len(departures) < len(best)):
                best = departures
        for departure in best or ():
            report(*departure)
        return best is not None

    return check


_INNER: dict[str, Callable[[Form, FieldPath], Inner]] = {
    "struct": _struct,
    "list": _list,
    "map": _map,
    "any": _union,
}
