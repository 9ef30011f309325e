"""What is in a backup: a head, parts of rows, and a manifest that counts them. Lines of JSON, in this order:

{"head": {...}}                                 the program and the schema that wrote it
{"part": "table datasets", "columns": [...]}    begins a part
[1, "kafka://...", ...]                         a row, cells in the order of the columns
{"end": "table datasets", "rows": 1, "sha256": "..."}
{"manifest": {...}}                             the head, and each part with its rows and its sum
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import orjson

from catalog.backup.frames import FrameReader, FrameWriter

Row = Sequence[Any]
_BATCH = 1000


@dataclass(frozen=True, slots=True)
class Head:
    """program: its version; schema: the revision of the tables; created_at: RFC 3339; store: the kind of database.
    left_out: what is not in the file, in words, and how it comes back."""

    program: str
    schema: str
    created_at: str
    store: str
    left_out: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {
            "program": self.program,
            "schema": self.schema,
            "createdAt": self.created_at,
            "store": self.store,
            "leftOut": list(self.left_out),
        }

    @staticmethod
    def of_json(body: Mapping[str, Any]) -> Head:
        return Head(
            str(body["program"]),
            str(body["schema"]),
            str(body["createdAt"]),
            str(body["store"]),
            tuple(map(str, body["leftOut"])),
        )


@dataclass(frozen=True, slots=True)
class PartSum:
    """rows: how many; sha256: of all lines of the rows, in hex."""

    name: str
    rows: int
    sha256: str

    def as_json(self) -> dict[str, str | int]:
        return {"name": self.name, "rows": self.rows, "sha256": self.sha256}


@dataclass(frozen=True, slots=True)
class Manifest:
    head: Head
    parts: tuple[PartSum, ...]

    def as_json(self) -> dict[str, object]:
        return {**self.head.as_json(), "parts": [part.as_json() for part in self.parts]}


def row_lines(rows: Iterable[Row]) -> Iterator[tuple[int, bytes]]:
    """The lines of rows, some hundred at a time, with their number."""
    rest = iter(rows)
    while batch := list(islice(rest, _BATCH)):
        yield len(batch), b"".join([orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in batch])


def sum_of(name: str, rows: Iterable[Row]) -> PartSum:
    """Count and sum of rows, as a part of them would have."""
    digest, count = hashlib.sha256(), 0
    for number, lines in row_lines(rows):
        digest.update(lines)
        count += number
    return PartSum(name, count, digest.hexdigest())


class BackupWriter:
    """Writes head, parts and manifest into frames."""

    def __init__(self, frames: FrameWriter, head: Head) -> None:
        self._frames, self._head = frames, head
        self._parts: list[PartSum] = []
        self._line({"head": head.as_json()})

    def part(self, name: str, columns: Sequence[str], rows: Iterable[Row], last: int | None = None) -> None:
        """Write a part. `last`: the newest number that a table gave to a row, where it never gives one again."""
        self._line({"part": name, "columns": list(columns), "last": last})
        digest, count = hashlib.sha256(), 0
        for number, lines in row_lines(rows):
            digest.update(lines)
            self._frames.write(lines)
            count += number
        done = PartSum(name, count, digest.hexdigest())
        self._line({"end": name, "rows": done.rows, "sha256": done.sha256})
        self._parts.append(done)

    def finish(self) -> Manifest:
        manifest = Manifest(self._head, tuple(self._parts))
        self._line({"manifest": manifest.as_json()})
        self._frames.finish()
        return manifest

    def _line(self, body: Mapping[str, Any]) -> None:
        self._frames.write(orjson.dumps(body, option=orjson.OPT_APPEND_NEWLINE))


@dataclass(frozen=True, slots=True)
class Part:
    """`rows` can be walked once, and must be walked to its end before the next part."""

    name: str
    columns: tuple[str, ...]
    last: int | None
    rows: Iterator[list[Any]]


class BackupReader:
    """Reads a file from its head to its manifest, once."""

    def __init__(self, frames: FrameReader) -> None:
        """Raises InvalidInput, as does every step, where the file was changed or ends early."""
        self._frames = frames
        self._lines = frames.lines()
        self._parts: list[PartSum] = []
        self.is_encrypted = frames.is_encrypted
        try:
            self.head = Head.of_json(self._control()["head"])
        except (KeyError, TypeError):
            raise frames.damaged() from None
        self.manifest: Manifest | None = None
        """There after the last part."""

    def parts(self) -> Iterator[Part]:
        while (line := self._control()).get("manifest") is None:
            if not {"part", "columns"} <= line.keys():
                raise self._frames.damaged()
            name = str(line["part"])
            yield Part(name, tuple(map(str, line["columns"])), line.get("last"), self._rows(name, len(line["columns"])))
            if not self._parts or self._parts[-1].name != name:
                raise RuntimeError(f"The rows of the part {name} were not read.")
        manifest = Manifest(self.head, tuple(self._parts))
        if line["manifest"] != manifest.as_json() or next(self._lines, None) is not None:
            raise self._frames.damaged()
        self.manifest = manifest

    def _rows(self, name: str, width: int) -> Iterator[list[Any]]:
        digest, count = hashlib.sha256(), 0
        for line in self._lines:
            if not line.startswith(b"["):
                break
            digest.update(line + b"\n")
            count += 1
            row = self._json(line)
            if len(row) != width:
                raise self._frames.damaged()
            yield row
        else:
            raise self._frames.damaged()
        done = PartSum(name, count, digest.hexdigest())
        if self._json(line) != {"end": name, "rows": done.rows, "sha256": done.sha256}:
            raise self._frames.damaged()
        self._parts.append(done)

    def _control(self) -> dict[str, Any]:
        line = self._json(next(self._lines, b""))
        if not isinstance(line, dict):
            raise self._frames.damaged()
        return line

    def _json(self, line: bytes) -> Any:
        try:
            return orjson.loads(line)
        except orjson.JSONDecodeError:
            raise self._frames.damaged() from None
