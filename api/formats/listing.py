"""Lists as files: CSV, or JSON lines, a line at a time."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fastapi.responses import StreamingResponse

from catalog.spreadsheet import defused

MEDIA = {"csv": "text/csv", "jsonl": "application/x-ndjson"}


def as_file(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[str], form: str, name: str, notes: Sequence[str] = ()
) -> StreamingResponse:
    """`form`: csv (of these columns) or jsonl (all keys, and last a line with `notes`). In CSV each note is a last row of its
    own, in the first column behind a #."""
    lines = _csv(rows, columns, notes) if form == "csv" else _jsonl(rows, notes)
    headers = {"Content-Disposition": f'attachment; filename="{name}.{form}"'}
    return StreamingResponse(lines, media_type=MEDIA[form], headers=headers)


def _jsonl(rows: Iterable[Mapping[str, Any]], notes: Sequence[str]) -> Iterator[str]:
    for row in rows:
        yield json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=str) + "\n"
    if notes:
        yield json.dumps({"notes": list(notes)}, ensure_ascii=False, separators=(",", ":")) + "\n"


def _csv(rows: Iterable[Mapping[str, Any]], columns: Sequence[str], notes: Sequence[str]) -> Iterator[str]:
    yield _line(columns)
    for row in rows:
        yield _line([_cell(row.get(name)) for name in columns])
    for note in notes:
        yield _line([f"# {note}"])


def _line(cells: Iterable[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(cells)
    return buffer.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return defused("; ".join(map(str, value)))
    return defused(str(value))
