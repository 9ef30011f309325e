"""Reads the lines of the table into changes of Dataset documents. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from api.features.curation.cells import FIXED, OF_FIELDS, PROPERTY, listed, plain
from api.features.curation.owner_cells import owners
from catalog.curation.properties import Kinds, parsed
from catalog.errors import InvalidInput
from catalog.near_names import did_you_mean

MOST_LINES = 200_000
_YES = frozenset({"yes", "true", "1", "x"})
_NO = frozenset({"", "no", "false", "0"})


@dataclass(frozen=True, slots=True)
class Line:
    """number: counted from 1, the header's, as a spreadsheet counts records; cells: by column, plain text."""

    number: int
    dataset: str
    field: str
    cells: Mapping[str, str]


def lines(text: str, properties: Kinds) -> Iterator[Line | tuple[int, str, str]]:
    """Lines, or (number, dataset, problem) for one that cannot be read. Raises InvalidInput for a header that is wrong."""
    try:
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        header = [plain(each.strip()) for each in next(rows, [])]
        _require_header(header, properties)
        for number, cells in enumerate(rows, 2):
            if number > MOST_LINES + 1:
                raise InvalidInput(f"The table has more than {MOST_LINES:,} lines; import it in parts.")
            if any(cells):
                yield _line(number, header, cells)
    except csv.Error as error:
        raise InvalidInput(f"The table cannot be read as CSV: {error}.") from None


def _require_header(header: list[str], properties: Kinds) -> None:
    known = {*FIXED, *(f"{PROPERTY}{name}" for name in properties)}
    if "dataset" not in header:
        raise InvalidInput(
            "The table has no column dataset; its first line names the columns, as weir catalog export does."
        )
    for name in header:
        if name not in known:
            near = did_you_mean(
                get_close_matches(name, known, 1), otherwise=f"Its columns are {', '.join(FIXED)}.", lead=" "
            )
            raise InvalidInput(f"The table has a column {name[:100]!r}, which means nothing here.{near}")
    if twice := next((each for each in header if header.count(each) > 1), None):
        raise InvalidInput(f"The table has the column {twice} twice; keep one.")


def _line(number: int, header: list[str], cells: list[str]) -> Line | tuple[int, str, str]:
    if len(cells) != len(header):
        return number, cells[0][:200], f"the line has {len(cells)} cells, and the header {len(header)}."
    named = {name: plain(cell) for name, cell in zip(header, cells, strict=True)}
    dataset, field = named.pop("dataset").strip(), named.pop("field", "").strip()
    if not dataset:
        return number, "", "the line names no dataset."
    return Line(number, dataset, field, named)


def part(line: Line, before: Mapping[str, Any], properties: Kinds) -> dict[str, object]:
    """The spec of the dataset, or the entry of a field, as a line changes it. Raises InvalidInput."""
    after = dict(before)
    if line.field and (beside := [n for n in line.cells if n in FIXED and n not in OF_FIELDS and line.cells[n]]):
        raise InvalidInput(f"{beside[0]} is a dataset's, and the line is of the field {line.field}; empty the cell.")
    for name in ("description", "tags", "terms"):
        if name in line.cells:
            cell = line.cells[name]
            _set(after, name, cell if name == "description" else listed(cell))
    if not line.field:
        _set(after, "owners", owners(line.cells, before.get("owners") or []))
        _mark(after, line.cells, "certification", "certified", {"certifiedBy": "by", "certificationNote": "note"})
        of_end = {"deprecationReason": "reason", "successor": "successor", "endsOn": "date"}
        _mark(after, line.cells, "deprecation", "deprecated", of_end)
    values = dict(before.get("properties") or {})
    for name, cell in line.cells.items():
        if name.startswith(PROPERTY):
            key = name.removeprefix(PROPERTY)
            _set(values, key, parsed(properties, key, cell) if cell else None)
    _set(after, "properties", values)
    return after


def _set(target: dict[str, object], key: str, value: Any) -> None:
    """Set, or take away what is empty. What is the same stays as it is written."""
    if value is None or value == "" or value == [] or value == {}:
        if target.get(key):
            del target[key]
    elif target.get(key) != value or isinstance(target.get(key), bool) is not isinstance(value, bool):
        target[key] = value


def _mark(
    after: dict[str, object], cells: Mapping[str, str], key: str, column: str, details: Mapping[str, str]
) -> None:
    """Certification or deprecation. `details`: column -> its key."""
    before = after.get(key)
    marked = before is not None
    if column in cells:
        answer = cells[column].strip().casefold()
        if answer not in _YES | _NO:
            raise InvalidInput(f"{column} is {cells[column][:40]!r}; write yes, or leave it empty.")
        marked = answer in _YES
    given = {each: cells[each] for each in details if cells.get(each)}
    if not marked:
        if given:
            raise InvalidInput(f"{next(iter(given))} is filled in, and {column} is not; write yes in {column}.")
        after.pop(key, None)
        return
    value = dict(before) if isinstance(before, Mapping) else {}
    for name, inner in details.items():
        if name in cells:
            _set(value, inner, cells[name])
    after[key] = value
