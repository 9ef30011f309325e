"""Schema ids in a record's header, as SQL: put before the body, where the wire format has them.

The header's bytes are a byte 0 and the id, or a byte 1 and the schema's GUID (16 bytes), and for Protobuf the path to
the message type after it, as `scanners.decode.header_ids` describes. `PartRead.schemas["header"]` names the header.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from policies.plan.model import PartRead
from policies.sql.literals import literal

_NO_SCHEMA = "ffffffff"
"""An id that no registry gives: they count in a signed number."""


def has_header(read: PartRead) -> bool:
    """Whether the schema of this part may be named by a header."""
    return bool(read.schemas.get("header"))


def head_sql(part: str, read: PartRead) -> list[str]:
    """The column `weir_head_PART` with that header's bytes, for `framed_sql`; none where no header is read.

    A column of its own, since a header is looked for among all of the record's.
    """
    if not has_header(read):
        return []
    return [f"get(filter(headers, h -> h.key = {literal(_name(read))}), 0).value AS weir_head_{part}"]


def framed_sql(part: str, read: PartRead) -> str:
    """SQL of the bytes of `part` with the schema's id before them, where a header has it; else of the bytes."""
    if not has_header(read):
        return part
    head = f"weir_head_{part}"
    registered: Any = read.schemas.get("registered") or {}
    cases = "".join(
        f" WHEN {literal(str(each['guid']).replace('-', '').lower())} THEN X'{int(number):08x}'"
        for number, each in sorted(registered.items())
        if each.get("guid")
    )
    number = f"CASE {_guid_digits(head)}{cases} ELSE X'{_NO_SCHEMA}' END" if cases else f"X'{_NO_SCHEMA}'"
    return (
        f"CASE WHEN {_by_id(head)} THEN concat(X'00', substring({head}, 2, 4), substring({head}, 6), {part})"
        f" WHEN {_by_guid(head)} THEN concat(X'00', {number}, substring({head}, 18), {part})"
        f" ELSE {part} END"
    )


def shown_sql(header: str, reads: Sequence[PartRead]) -> str:
    """SQL of a header (a struct of key and value) as text; an id or a GUID of a schema as it is written elsewhere."""
    names = [literal(_name(read)) for read in reads if has_header(read)]
    text, value = f"CAST({header}.value AS STRING)", f"{header}.value"
    if not names:
        return text
    guid = f"regexp_replace({_guid_digits(value)}, '(.{{8}})(.{{4}})(.{{4}})(.{{4}})(.{{12}})', '$1-$2-$3-$4-$5')"
    return (
        f"CASE WHEN {header}.key NOT IN ({', '.join(names)}) THEN {text}"
        f" WHEN {_by_id(value)} THEN conv(hex(substring({value}, 2, 4)), 16, 10)"
        f" WHEN {_by_guid(value)} THEN {guid} ELSE {text} END"
    )


def _name(read: PartRead) -> str:
    return str(read.schemas["header"])


def _by_id(head: str) -> str:
    return f"substring({head}, 1, 1) = X'00' AND length({head}) >= 5"


def _by_guid(head: str) -> str:
    return f"substring({head}, 1, 1) = X'01' AND length({head}) >= 17"


def _guid_digits(head: str) -> str:
    return f"lower(hex(substring({head}, 2, 16)))"
