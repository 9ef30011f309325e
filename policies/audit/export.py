"""The audit as a file that `policies.audit.file_check` checks without Weir: JSON lines or CSV, signed as a whole. Pure.

Each line of JSON is `{"entry":ENTRY,"hash":HASH,"running":RUNNING}`. ENTRY is the very text that HASH is the SHA-256 of.
RUNNING is the SHA-256 of the line before's RUNNING and HASH, so a line that is missing or moved shows at its place. What is
signed holds the last RUNNING, the number of lines, the chain, and what was asked for. CSV has the same in columns.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from catalog.errors import InvalidInput
from catalog.spreadsheet import defused
from policies.audit.ports import AuditEntry
from policies.audit.text import body_text

JSONL, CSV = "jsonl", "csv"
FORMATS = (JSONL, CSV)
MEDIA = {JSONL: "application/x-ndjson", CSV: "text/csv"}
COLUMNS = (
    "seq",
    "at",
    "actor",
    "action",
    "target",
    "decision",
    "reasons",
    "details",
    "prev",
    "hash",
    "running",
    "entry",
)
OF_ENTRY = COLUMNS[:9]
"""Columns that an entry itself has."""
VERSION = 1
CSV_SIGNED = "#signed"
"""The first cell of the row that holds the signature."""


class Signer(Protocol):
    """Signs with a key of this Weir."""

    def sign(self, data: bytes) -> str:
        """The signature, base64."""

    def public_key(self) -> str:
        """The key's public half, base64 of 32 bytes."""


@dataclass(frozen=True, slots=True)
class About:
    """What an export is of: the chain, its head when the export began, the filter, when and by whom it was made."""

    chain: str
    head_seq: int
    head_hash: str
    where: Mapping[str, str]
    at: str
    by: str


def running(before: str, hash_: str) -> str:
    """The next RUNNING."""
    return hashlib.sha256(f"{before}{hash_}".encode()).hexdigest()


def export(entries: Iterable[AuditEntry], form: str, about: About, signer: Signer) -> Iterator[bytes]:
    """The file, in pieces; `entries` oldest first. The last line is the signature. Raises InvalidInput for another format."""
    if form not in FORMATS:
        raise InvalidInput(
            f"{form!r} is not a format of the audit; use {' or '.join(FORMATS)}.", details={"field": "format"}
        )
    count, first, last, run = 0, None, None, ""
    if form == CSV:
        yield csv_row(COLUMNS)
    for entry in entries:
        text = body_text(entry)
        run = running(run, entry.hash)
        count, first, last = count + 1, entry.seq if first is None else first, entry.seq
        if form == JSONL:
            yield f'{{"entry":{text},"hash":"{entry.hash}","running":"{run}"}}\n'.encode()
        else:
            yield csv_row(_cells(entry, text, run))
    signed = {
        "weirAuditExport": VERSION,
        "format": form,
        "entries": count,
        "first": first,
        "last": last,
        "running": run,
        "chain": about.chain,
        "head": {"seq": about.head_seq, "hash": about.head_hash},
        "where": dict(about.where),
        "at": about.at,
        "by": about.by,
        "key": signer.public_key(),
    }
    data = canonical(signed)
    line = json.dumps({"signed": signed, "signature": signer.sign(data)}, separators=(",", ":"), ensure_ascii=True)
    yield line.encode() + b"\n" if form == JSONL else csv_row([CSV_SIGNED, line])


def canonical(value: Any) -> bytes:
    """JSON with sorted keys and no blanks: what is signed."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def _cells(entry: AuditEntry, text: str, run: str) -> list[str]:
    body = json.loads(text)
    return [*(csv_cell(body[name]) for name in OF_ENTRY), entry.hash, run, text]


def csv_cell(value: Any) -> str:
    """A text that a spreadsheet would run as a formula is defused; `entry` has what was hashed."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return defused(text)


def csv_row(cells: Iterable[str]) -> bytes:
    """A line of the file, with its end."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(cells)
    return buffer.getvalue().encode()
