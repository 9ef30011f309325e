"""The formats of an answer: JSON as it is, CSV, an Arrow stream, Parquet, written batch by batch."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any
from urllib.parse import quote

from api.formats import left_out
from api.formats.csv_text import CsvText, csv_line
from catalog.errors import InvalidInput, WeirError
from policies.plan.registry import Running
from policies.query.result import OpenAnswer

__all__ = ["MEDIA", "OTHER_MEDIA", "CsvText", "Form", "chunks", "headers", "requested"]

_READABLE = " .,;:()'/*+-_=<>!?"
"""Signs that are left as they are in the header of notes; others are percent-encoded, as headers hold ASCII."""
_CSV_CHUNK = 256 * 1024


class Form(StrEnum):
    """`?format=`."""

    JSON = "json"
    CSV = "csv"
    ARROW = "arrow"
    PARQUET = "parquet"


MEDIA: Mapping[Form, str] = {
    Form.JSON: "application/json",
    Form.CSV: "text/csv; charset=utf-8",
    Form.ARROW: "application/vnd.apache.arrow.stream",
    Form.PARQUET: "application/vnd.apache.parquet",
}
_ACCEPTED: Mapping[str, Form] = {
    **{media.split(";")[0]: form for form, media in MEDIA.items()},
    "application/arrow": Form.ARROW,
    "application/x-parquet": Form.PARQUET,
    "*/*": Form.JSON,
    "application/*": Form.JSON,
    "text/*": Form.CSV,
}
OTHER_MEDIA = tuple(media.split(";")[0] for form, media in MEDIA.items() if form is not Form.JSON)
"""Media types without parameters, but for JSON."""


def requested(form: Form | None, accept: str | None) -> Form:
    """The format by the parameter, else by the Accept header (the best one known of it). Raises InvalidInput."""
    if form is not None:
        return form
    if not accept or not accept.strip():
        return Form.JSON
    weighed: list[tuple[float, int, Form]] = []
    for place, part in enumerate(accept.split(",")):
        media, *parameters = (piece.strip().lower() for piece in part.split(";"))
        if media in _ACCEPTED and (weight := _weight(parameters)) > 0:
            weighed.append((-weight, place, _ACCEPTED[media]))
    if not weighed:
        known = ", ".join(media.split(";")[0] for media in MEDIA.values())
        raise InvalidInput(
            f"An answer cannot be given as {accept[:100]!r}; there are {known}.", details={"header": "Accept"}
        )
    return min(weighed)[2]


def _weight(parameters: list[str]) -> float:
    for each in parameters:
        if each.startswith("q="):
            try:
                return float(each[2:])
            except ValueError:
                return 0.0
    return 1.0


def headers(form: Form, opened: OpenAnswer, running: Running) -> dict[str, str]:
    """Of an answer whose rows follow. How many were cut off is known at its end only; see docs/reference/sql.md."""
    values = {
        "Content-Disposition": f'attachment; filename="{running.id.replace(":", "-")}.{form}"',
        "Cache-Control": "no-store",
        "X-Weir-Row-Limit": str(opened.limit),
        **({"X-Weir-Notes": quote(" ".join(opened.notes), safe=_READABLE)} if opened.notes else {}),
    }
    # A limit is known here where the whole answer was there before its head went out.
    if parts := _left_out(opened, running):
        values["X-Weir-Left-Out"] = json.dumps(parts)
    if running.report.text is not None:
        # All rows were there before the head went out, so the counts are known.
        values["X-Weir-Unreadable"] = json.dumps(running.report.counts)
        values["X-Weir-Unreadable-Text"] = running.report.text.encode("ascii", "replace").decode()
    return values


def chunks(form: Form, opened: OpenAnswer, running: Running, text: CsvText = CsvText.SAFE) -> Iterator[bytes]:
    """The body in pieces; counts in `running` what went out. Raises what iterating the batches raises."""
    match form:
        case Form.CSV:
            parts = _csv(opened, running, text)
        case Form.ARROW:
            parts = _arrow(opened, running)
        case Form.PARQUET:
            parts = _parquet(opened, running)
        case Form.JSON:
            raise InvalidInput("JSON is not sent in pieces.")
    running.whole = False
    try:
        for piece in parts:
            running.bytes += len(piece)
            yield piece
    except WeirError as error:
        running.ended_by(error)
        raise
    except Exception:
        running.problem = "internal"
        raise
    running.partial, running.left_out = opened.batches.limit is not None, _left_out(opened, running)
    running.whole = True


def _ended(opened: OpenAnswer, running: Running) -> None:
    """Note what is known once the last batch was given."""
    running.report = opened.unreadable()


def _csv(opened: OpenAnswer, running: Running, text: CsvText) -> Iterator[bytes]:
    kinds = [column["type"] for column in opened.columns]
    buffer = [csv_line([column["name"] for column in opened.columns], ["string"] * len(kinds), text)]
    size = len(buffer[0])
    for batch in opened.batches:
        for row in opened.batches.rows([batch]):
            buffer.append(csv_line(row, kinds, text))
            size += len(buffer[-1])
            if size >= _CSV_CHUNK:
                yield "".join(buffer).encode()
                buffer, size = [], 0
        running.rows += batch.num_rows
    _ended(opened, running)
    yield "".join(buffer).encode()


def _arrow(opened: OpenAnswer, running: Running) -> Iterator[bytes]:
    """The last batch is empty and carries what is known at the end: `weir.end` = {rows, truncated, limit, unreadable,
    unreadableText, leftOut}."""
    import pyarrow as pa

    sink = _Sink()
    schema = _described(opened, opened.batches.schema)
    with pa.ipc.new_stream(sink, schema) as writer:
        for batch in opened.batches:
            writer.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=schema))
            running.rows += batch.num_rows
            yield sink.taken()
        _ended(opened, running)
        empty = pa.RecordBatch.from_arrays([pa.array([], f.type) for f in schema], schema=schema)
        writer.write_batch(empty, custom_metadata={"weir.end": json.dumps(_end(opened, running))})
    yield sink.taken()


def _parquet(opened: OpenAnswer, running: Running) -> Iterator[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = _Sink()
    schema = _described(opened, _distinct(opened.batches.schema))
    try:
        writer = pq.ParquetWriter(sink, schema, compression="zstd")
        # Written once empty, so that what Parquet cannot hold is told before the first record is read.
        writer.write_table(schema.empty_table())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise InvalidInput(
            "Parquet cannot hold a column of this answer (such as an empty struct); ask for arrow.",
            details={"format": str(Form.PARQUET)},
        ) from None
    for batch in opened.batches:
        writer.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=schema))
        running.rows += batch.num_rows
        if piece := sink.taken():
            yield piece
    _ended(opened, running)
    writer.add_key_value_metadata({"weir.end": json.dumps(_end(opened, running))})
    writer.close()
    yield sink.taken()


def _end(opened: OpenAnswer, running: Running) -> dict[str, object]:
    return {
        "rows": running.rows,
        "truncated": opened.batches.limit is not None,
        "limit": opened.batches.limit,
        **running.report.to_json(),
        "leftOut": _left_out(opened, running),
    }


def _left_out(opened: OpenAnswer, running: Running) -> list[left_out.LeftOut]:
    return left_out.parts(opened.window, opened.decision, opened.batches.limit, opened.limit, running.window)


def _described(opened: OpenAnswer, schema: Any) -> Any:
    """The schema with Weir's notes about the answer: `weir.answer`, and on each column `weir.column`."""
    import pyarrow as pa

    fields = [
        schema.field(i).with_metadata({"weir.column": json.dumps(column)}) for i, column in enumerate(opened.columns)
    ]
    about = {
        "decision": opened.decision,
        "window": opened.window,
        "columns": opened.columns,
        "notes": opened.notes,
    }
    return pa.schema(fields, metadata={"weir.answer": json.dumps(about)})


def _distinct(schema: Any) -> Any:
    """Distinct names, since readers of Parquet find columns by name: `email`, `email_2`."""
    taken: set[str] = set(schema.names)
    seen: set[str] = set()
    fields = []
    for one in schema:
        name, count = one.name, 1
        while name in seen or (count > 1 and name in taken):
            count += 1
            name = f"{one.name}_{count}"
        seen.add(name)
        fields.append(one.with_name(name))
    import pyarrow as pa

    return pa.schema(fields)


class _Sink:
    """A file that is written and taken away in pieces."""

    closed = False

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: Any) -> int:
        piece = bytes(data)
        self._pieces.append(piece)
        self._size += len(piece)
        return len(piece)

    def tell(self) -> int:
        return self._size

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """What was written is still to be taken."""

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def taken(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)
