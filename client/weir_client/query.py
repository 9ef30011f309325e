"""A query and its answer: Arrow, pandas, rows, or a stream."""

from __future__ import annotations

import io
import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from weir_client import errors
from weir_client.http import Http, part
from weir_client.incomplete import warn

if TYPE_CHECKING:
    import pandas
    import pyarrow as pa

_ARROW = "application/vnd.apache.arrow.stream"


class Query:
    """SQL to be run. Each of `to_arrow`, `to_pandas`, `rows`, `batches` and `stream` runs it once.

    id         under which it runs, so that another thread may `cancel` it
    columns    [{name, type, decision}], decision, window: as the HTTP API gives them, once it ran
    truncated  a limit cut rows off; `limit_reached` names it: rows or bytes
    unreadable  {column: n} of values that do not fit their column (`*`: whole records), once the answer is over; None
               where a limit cut them off. `unreadable_text` is a sentence with the fix
    left_out   [{kind: window | limit | hiddenRows, text}] of what the answer leaves out
    complete   whether nothing is left out and every value fits; None until the answer is over

    An answer that is not complete gives one warning: `IncompleteWarning`, or `UnreadableWarning` (a subclass) where values
    do not fit.
    """

    def __init__(
        self,
        http: Http,
        sql: str,
        purpose: str | None,
        limit: int | None,
        query_id: str | None = None,
        on_unreadable: str | None = None,
        window: str | None = None,
    ) -> None:
        self._http = http
        self.sql, self.purpose, self.limit = sql, purpose, limit
        self._given, self._ran = query_id, False
        self._on_unreadable = {"unreadable": on_unreadable} if on_unreadable else {}
        self._records = {"window": window} if window else {}
        self.id = query_id or _new_id()
        self.columns: list[dict[str, Any]] = []
        self.decision: dict[str, Any] = {}
        self.window: dict[str, Any] = {}
        self.notes: list[Any] = []
        self.truncated: bool | None = None
        self.limit_reached: str | None = None
        self.unreadable: dict[str, int] | None = {}
        self.unreadable_text: str | None = None
        self.left_out: list[dict[str, str]] = []
        self.complete: bool | None = None

    def __repr__(self) -> str:
        return f"Query({self.sql!r})"

    @property
    def is_push(self) -> bool:
        """Whether it ends with EMIT CHANGES."""
        return self.sql.rstrip().rstrip(";").upper().split()[-2:] == ["EMIT", "CHANGES"]

    def to_arrow(self) -> pa.Table:
        """The whole answer as a pyarrow.Table: types kept, two columns may have one name."""
        import pyarrow as pa

        with self._open() as reader:
            return pa.Table.from_batches(list(self._read(reader)), reader.schema)

    def to_pandas(self, **arguments: Any) -> pandas.DataFrame:
        """The whole answer as a pandas.DataFrame; `arguments` are those of pyarrow.Table.to_pandas.

        A column of whole numbers with NULL in it is of a nullable type of pandas, such as Int64: as floats, ids would change.
        """
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas needs pandas: pip install 'weir-client[pandas]'.") from None
        table = self.to_arrow()
        frame = table.to_pandas(**arguments)
        whole = {"int8": "Int8", "int16": "Int16", "int32": "Int32", "int64": "Int64"}
        for at, column in enumerate(table.columns) if not arguments else ():
            if column.null_count and str(column.type) in whole:
                frame.isetitem(at, pandas.array(column.to_pylist(), dtype=whole[str(column.type)]))
        return frame

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The answer as it comes, pyarrow.RecordBatch by RecordBatch. Stop iterating to stop the query."""
        with self._open() as reader:
            yield from self._read(reader)

    def rows(self) -> list[dict[str, Any]]:
        """The whole answer as a list of dicts, of Python's types; a second column of one name gets `_2`."""
        return list(self.stream())

    def stream(self) -> Iterator[dict[str, Any]]:
        """Rows as dicts, as they come. Of a query that ends with EMIT CHANGES: new records, until access ends.

        Rows of such a push query hold JSON types: decimals and times as text.
        """
        if self.is_push:
            yield from self._pushed()
            return
        names: list[str] | None = None
        for batch in self.batches():
            names = names or _distinct(batch.schema.names)
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=False):
                yield dict(zip(names, row, strict=False))

    def cancel(self) -> None:
        """Stop it while it runs. Raises NotFound when it does not."""
        self._http.json("DELETE", f"/api/v1/queries/{part(self.id)}")

    def explain(self) -> dict[str, Any]:
        """What it may see and would read; no data is touched."""
        return self._http.document(
            "POST", "/api/v1/query/explain", {"sql": self.sql, "purpose": self.purpose} | self._records
        )

    def _begin(self) -> None:
        """Take an id for this run, since the run before may still be ending on the server. The first keeps its own."""
        if self._given is None and self._ran:
            self.id = _new_id()
        self._ran = True
        self.unreadable, self.unreadable_text = {}, None
        self.left_out, self.complete = [], None

    @contextmanager
    def _open(self) -> Iterator[Any]:
        import pyarrow as pa

        self._begin()
        body = {"sql": self.sql, "purpose": self.purpose, "limit": self.limit, "queryId": self.id}
        body |= self._on_unreadable | self._records
        with self._http.stream("POST", "/api/v1/query", body, {"Accept": _ARROW}) as answer:
            source = pa.PythonFile(io.BufferedReader(_Pieces(answer.iter_bytes()), 1 << 20), mode="r")
            try:
                reader = pa.ipc.open_stream(source)
            except pa.ArrowInvalid:
                raise errors.AnswerBroken("The answer broke off before its first row.") from None
            about = json.loads((reader.schema.metadata or {}).get(b"weir.answer", b"{}"))
            self.columns = about.get("columns", [])
            self.decision, self.window = about.get("decision", {}), about.get("window", {})
            self.notes = about.get("notes", [])
            yield reader

    def _read(self, reader: Any) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        while True:
            try:
                batch, metadata = reader.read_next_batch_with_custom_metadata()
            except StopIteration:
                break
            except (pa.ArrowInvalid, OSError):
                break
            end = (metadata or {}).get(b"weir.end") if metadata is not None else None
            if end is not None:
                status = json.loads(end)
                self.truncated, self.limit_reached = status["truncated"], status["limit"]
                self.left_out = status.get("leftOut", [])
                self._report(status.get("unreadable", {}), status.get("unreadableText"))
                return
            yield batch
        raise errors.AnswerBroken("The answer broke off: the query was stopped, or reached a limit; this is not all.")

    def _report(self, counts: dict[str, int] | None, text: str | None) -> None:
        """Keep what does not fit, and warn of all that the answer lacks: its rows look like any others."""
        self.unreadable, self.unreadable_text = counts, text
        self.complete = not (self.left_out or text or self.truncated)
        warn(self.left_out, text, limited=self.limit is not None)

    def _pushed(self) -> Iterator[dict[str, Any]]:
        if self._records:
            raise errors.InvalidInput(
                "A query that ends with EMIT CHANGES begins with what arrives from now on; leave out window.",
                "invalid_input",
            )
        if self.limit is not None:
            raise errors.InvalidInput(
                "A query that ends with EMIT CHANGES has no end; leave out limit, and stop reading when you have enough rows.",
                "invalid_input",
            )
        self._begin()
        parameters = {"sql": self.sql, "purpose": self.purpose, "queryId": self.id, **self._on_unreadable}
        names: list[str] = []
        with self._http.stream("GET", "/api/v1/query/stream", None, None, **parameters) as answer:
            for event in _events(answer.iter_lines()):
                kind = event.get("type")
                if kind == "columns":
                    self.columns, self.decision = event["columns"], event["decision"]
                    names = _distinct([column["name"] for column in self.columns])
                elif kind == "unreadable":
                    self._report(event["unreadable"], event["text"])
                elif kind == "rows":
                    for row in event["rows"]:
                        yield dict(zip(names, row, strict=False))
                elif kind in ("end", "error"):
                    details = {"reasons": event.get("reasons", []), **(event.get("details") or {})}
                    status = {"not_allowed": 403, "query_cancelled": 409, "unavailable": 503}.get(
                        event.get("code", ""), 400
                    )
                    raise errors.from_answer(status, {"error": {**event, "details": details}}, self._http.url)
        raise errors.AnswerBroken("The stream ended without a reason.")


def _events(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        if line.startswith("data:"):
            yield json.loads(line[5:])


def _distinct(names: list[str]) -> list[str]:
    """Names that a dict can hold side by side: `email`, `email_2`."""
    distinct: list[str] = []
    for name in names:
        candidate, count = name, 1
        while candidate in distinct or (count > 1 and candidate in names):
            count += 1
            candidate = f"{name}_{count}"
        distinct.append(candidate)
    return distinct


class _Pieces(io.RawIOBase):
    """Bytes as they come, as a file that can be read once."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = memoryview(piece)
        count = min(len(buffer), len(self._left))
        buffer[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


def _new_id() -> str:
    return "py-" + uuid.uuid4().hex
