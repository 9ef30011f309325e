"""An export of the audit, checked without Weir: line by line, then its signature. `policies.audit.export` has the format. Pure."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import orjson

from policies.audit.export import COLUMNS, CSV_SIGNED, OF_ENTRY, canonical, csv_cell, csv_row, running

_HEAD = b'{"entry":'
_SIGNED = b'{"signed":'


class Verifier(Protocol):
    """Checks signatures."""

    def __call__(self, public_key: str, signature: str, data: bytes) -> bool:
        """False for a signature that is not of this data and key, or that cannot be read."""


@dataclass(frozen=True, slots=True)
class FileVerification:
    """Whether a file holds. first_bad: the first line that is wrong, from 1, and why; None where only the whole can be named.

    complete  the entries follow one another without a hole, so none between the first and the last is missing
    key       the public key of the signature; trusted: it is one that the caller gave
    """

    holds: bool
    entries: int
    first: int | None
    last: int | None
    complete: bool
    key: str | None
    trusted: bool
    signed: Mapping[str, Any] | None = None
    first_bad: int | None = None
    problem: str | None = None

    def to_json(self) -> dict[str, object]:
        """All of it."""
        return {
            "holds": self.holds,
            "entries": self.entries,
            "first": self.first,
            "last": self.last,
            "complete": self.complete,
            "key": self.key,
            "trusted": self.trusted,
            "signed": self.signed,
            "firstBad": self.first_bad,
            "problem": self.problem,
        }


class _Wrong(Exception):
    def __init__(self, line: int | None, problem: str) -> None:
        super().__init__(problem)
        self.line, self.problem = line, problem


def verify(
    lines: Iterable[bytes], check: Verifier, keys: Iterable[str] = (), detached: bytes | None = None
) -> FileVerification:
    """Check a file line by line, then its signature. `keys`: public keys that are trusted; `detached`: the signature's line,
    where it is not the file's last. The first line that is wrong is named, nothing behind it is looked at."""
    walk = _Walk()
    trusted = list(keys)
    try:
        signature = walk.through(lines) or (detached.strip() if detached is not None else None)
        signed, key = _signature(walk, signature, check, trusted)
    except _Wrong as wrong:
        return FileVerification(
            holds=False,
            entries=walk.count,
            first=walk.first,
            last=walk.last,
            complete=walk.complete,
            key=None,
            trusted=False,
            signed=None,
            first_bad=wrong.line,
            problem=wrong.problem,
        )
    return FileVerification(
        holds=True,
        entries=walk.count,
        first=walk.first,
        last=walk.last,
        complete=walk.complete,
        key=key,
        trusted=key in trusted,
        signed=signed,
        first_bad=None,
        problem=None,
    )


class _Walk:
    """Goes through the lines; knows what it saw so far."""

    def __init__(self) -> None:
        self.count, self.run, self.number = 0, "", 0
        self.first: int | None = None
        self.last: int | None = None
        self.hash = ""
        self.complete = True

    def through(self, lines: Iterable[bytes]) -> bytes | None:
        """All lines; the signature's, where there is one. Raises _Wrong."""
        rest = iter(lines)
        start = next(rest, b"")
        if start and not start.startswith(b"{"):
            if start.rstrip(b"\r\n") != csv_row(COLUMNS).rstrip(b"\r\n"):
                raise _Wrong(1, f"The line does not name the columns of an export: {', '.join(COLUMNS)}.")
            return self._csv(rest)
        return self._json(_again(start, rest))

    def _json(self, lines: Iterator[bytes]) -> bytes | None:
        sha = hashlib.sha256
        for line in lines:
            self.number += 1
            text = line.rstrip(b"\r\n")
            if text.startswith(_SIGNED):
                self._nothing_behind(lines)
                return text
            # {"entry":ENTRY,"hash":"64","running":"64"}: both ends have one length, so ENTRY is what is between them.
            ends = (text[-152:-143], text[-79:-66], text[-2:])
            if text[:9] != _HEAD or ends != (b',"hash":"', b'","running":"', b'"}'):
                raise _Wrong(self.number, "The line is not an entry of an export.")
            body, hash_ = text[9:-152], text[-143:-79].decode("ascii", "replace")
            self._entry(body, sha(body).hexdigest(), hash_, text[-66:-2].decode("ascii", "replace"))
        return None

    def _csv(self, lines: Iterator[bytes]) -> bytes | None:
        self.number = 1
        reader = csv.reader((line.decode("utf-8", "replace") for line in lines), strict=True)
        try:
            for cells in reader:
                self.number = 1 + reader.line_num
                if cells and cells[0] == CSV_SIGNED:
                    self._nothing_behind(lines)
                    if len(cells) != 2:  # what is beside it is not signed
                        raise _Wrong(None, "The signature cannot be read.")
                    return cells[1].encode()
                if len(cells) != len(COLUMNS):
                    raise _Wrong(self.number, "The line is not an entry of an export.")
                *cells_of_entry, hash_, run, text = cells
                body = self._entry(text.encode(), hashlib.sha256(text.encode()).hexdigest(), hash_, run)
                for name, cell in zip(OF_ENTRY, cells_of_entry, strict=True):
                    if csv_cell(body.get(name)) != cell:
                        raise _Wrong(self.number, f"The column {name} was changed: it is not what the entry has.")
        except csv.Error:
            raise _Wrong(self.number + 1, "The line cannot be read as CSV.") from None
        return None

    def _entry(self, text: bytes, digest: str, hash_: str, run: str) -> Mapping[str, object]:
        if digest != hash_:
            raise _Wrong(self.number, "The entry was changed after it was written.")
        try:
            body: dict[str, Any] = orjson.loads(text)
            seq, prev = int(body["seq"]), body["prev"]
        except (ValueError, KeyError, TypeError):
            raise _Wrong(self.number, "The entry cannot be read.") from None
        if self.last is not None:
            if seq <= self.last:
                raise _Wrong(self.number, f"Entry {seq} comes after entry {self.last}.")
            if seq == self.last + 1 and prev != self.hash:
                raise _Wrong(self.number, f"Entry {seq} does not follow from the entry before it.")
            self.complete &= seq == self.last + 1
        self.run = running(self.run, hash_)
        if self.run != run:
            raise _Wrong(self.number, "A line is missing before this one, or was put in.")
        self.first = seq if self.first is None else self.first
        self.last, self.hash, self.count = seq, hash_, self.count + 1
        return body

    def _nothing_behind(self, lines: Iterator[bytes]) -> None:
        for line in lines:
            self.number += 1
            if line.strip():
                raise _Wrong(self.number, "There is something behind the signature.")


def _again(first: bytes, others: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from others


def _signature(walk: _Walk, line: bytes | None, check: Verifier, trusted: list[str]) -> tuple[Mapping[str, Any], str]:
    if line is None:
        raise _Wrong(None, "The file has no signature: its end is missing, or it was never signed.")
    try:
        document = json.loads(line)
        signed, signature = document["signed"], document["signature"]
        if len(document) != 2:  # what is beside them is not signed
            raise KeyError
        key, count, run = signed["key"], signed["entries"], signed["running"]
    except (ValueError, KeyError, TypeError):
        raise _Wrong(None, "The signature cannot be read.") from None
    if not check(key, signature, canonical(signed)):
        raise _Wrong(None, "The signature does not fit what it is about: what was signed is another statement.")
    if count != walk.count:
        raise _Wrong(
            None, f"The file has {walk.count} entries, and {count} were signed: entries are missing at the end."
        )
    if run != walk.run:
        raise _Wrong(None, "The entries are not those that were signed: the file was written again.")
    if trusted and key not in trusted:
        raise _Wrong(None, "The file is signed with a key that is not the one given.")
    return signed, key
