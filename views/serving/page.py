"""One page of a view's rows under the asker's decision.

Whatever the asker asks by is compared with what the asker sees, never with what is stored, since otherwise a lookup
would answer "is there anybody of this name?" to somebody who may not see names. Two ways follow:

Every key column is unmasked. The table is asked by the stored key, in its order. `where` and the exact bounds are checked on
masked rows, so a page may take several reads; it ends after `most_scanned` rows, with a cursor.

Some key column is masked or left out. Its stored values choose nothing and order nothing: a range of the table, a page's
length and the order of rows would each disclose them. All rows (narrowed only by what is unmasked in front of it) are
masked, checked, and sorted by what the asker sees: the shown key columns first, then the whole shown row. Rows that look
alike are in no order and are counted by the cursor. That takes a bounded number of rows; where there are more, the
answer is a refusal that names the column, and SQL is the way. So two tables whose rows look alike to the asker give
equal answers to every question.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from catalog.errors import InvalidInput, LimitExceeded
from views.model import Row
from views.row_ports import ServingTable, Wanted
from views.serving.cursors import Cursors, Place
from views.serving.key_order import encode
from views.serving.masked import MaskedView
from views.serving.wanted import RowQuestion

MOST_SCANNED = 20_000
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Page:
    """Rows as lists in the order of `MaskedView.columns`. `next`: the cursor of the page behind it; None at the end.
    `scanned`: stored rows that were read; a page may be short, or empty, and still have a next one."""

    rows: list[list[object]]
    next: str | None
    scanned: int


def read_page(
    table: ServingTable,
    view: str,
    generation: str,
    key: Sequence[str],
    asked: RowQuestion,
    masked: MaskedView,
    cursors: Cursors,
    most_scanned: int = MOST_SCANNED,
) -> Page:
    """`key`: names of the key's columns, in order; none for a view that keeps each row.

    Raises InvalidInput for a cursor that does not fit, LimitExceeded where a masked key column would make it read more
    than `most_scanned` rows, NotExact (see `masked`) where the SQL door must be asked, Unavailable.
    """
    hidden = [name for name in key if not masked.unmasked(name)]
    place = cursors.read(view, generation, asked.cursor) if asked.cursor else None
    if place is not None and place.masked != bool(hidden):
        raise InvalidInput(
            f"What you may see of the view {view} has changed since this cursor was given; leave out cursor to begin again.",
            details={"field": "cursor"},
        )
    find = _by_what_is_seen if hidden else _by_key
    rows, last, scanned = find(_Source(table, view, generation), key, asked, masked, place, most_scanned)
    names = [column.name for column in masked.columns]
    following = cursors.write(view, generation, last) if last is not None else None
    return Page([[row[name] for name in names] for row in rows], following, scanned)


@dataclass(frozen=True, slots=True)
class _Source:
    table: ServingTable
    view: str
    generation: str

    def rows(self, wanted: Wanted, at_once: int) -> Iterator[Row]:
        while True:
            rows = self.table.read(self.view, self.generation, wanted, at_once)
            yield from rows
            if len(rows) < at_once:
                return
            wanted = replace(wanted, after=rows[-1].key)


Seen = dict[str, object]
Found = tuple[list[Seen], Place | None, int]


def _by_key(
    source: _Source, key: Sequence[str], asked: RowQuestion, masked: MaskedView, place: Place | None, most_scanned: int
) -> Found:
    wanted = replace(asked.wanted, after=place.last) if place is not None else asked.wanted
    check = asked.check(masked.columns)
    at_once = max(asked.limit + 1, _AT_ONCE) if asked.checks_rows else asked.limit + 1
    matching: list[Seen] = []
    last, scanned = "", 0
    for row in source.rows(wanted, at_once):
        if len(matching) == asked.limit or scanned == most_scanned:
            return matching, Place(last), scanned
        scanned += 1
        values = masked.row(row.values)
        if check(values):
            matching.append(values)
        last = row.key
    return matching, None, scanned


def _by_what_is_seen(
    source: _Source, key: Sequence[str], asked: RowQuestion, masked: MaskedView, place: Place | None, most_scanned: int
) -> Found:
    hidden = next(name for name in key if not masked.unmasked(name))
    check = asked.check(masked.columns)
    among = _among(asked.wanted, key)
    key_columns = [name for name in key if any(name == each.name for each in masked.columns)]
    matching: list[tuple[bytes, str, Seen]] = []
    scanned = 0
    for row in source.rows(_narrowed(asked.wanted, key, masked), _AT_ONCE):
        scanned += 1
        if scanned > most_scanned:
            raise LimitExceeded(
                f"The key column {hidden} is masked for you, so this view is searched row by row, and it has more than"
                f" {most_scanned} rows to search; ask by SQL.",
                details={"limit": "rows", "column": hidden},
            )
        values = masked.row(row.values)
        if check(values) and among(values):
            look = json.dumps([*(values[name] for name in key_columns), json.dumps(values, sort_keys=True)])
            matching.append((encode(json.loads(look)), look, values))
    matching.sort(key=lambda each: each[0])
    if place is not None:
        start = encode(json.loads(place.last))
        behind = [each for each in matching if each[0] >= start]
        alike = sum(each[0] == start for each in behind)
        matching = behind[min(alike, place.skip) :]
    page, rest = matching[: asked.limit], matching[asked.limit :]
    if not rest:
        return [values for _, _, values in page], None, scanned
    end, look, _ = page[-1]
    before = place.skip if place is not None and place.last == look else 0
    skip = before + sum(each[0] == end for each in page)
    return [values for _, _, values in page], Place(look, True, skip), scanned


def _narrowed(wanted: Wanted, key: Sequence[str], masked: MaskedView) -> Wanted:
    """The conditions on the unmasked columns in front of the first that is masked."""
    clear = next(n for n, name in enumerate(key) if not masked.unmasked(name))
    prefix = wanted.prefix[:clear]
    begins = wanted.begins and len(wanted.prefix) <= clear
    low, high = (wanted.low, wanted.high) if clear else (None, None)
    return Wanted(prefix=prefix, begins=begins, low=low, high=high)


def _among(wanted: Wanted, key: Sequence[str]) -> Callable[[Mapping[str, object]], bool]:
    """Whether a row, as it is seen, has one of the keys and the prefix. Bounds are among the comparisons."""
    keys = None if wanted.keys is None else {encode(json.loads(each)) for each in wanted.keys}
    whole = wanted.prefix[:-1] if wanted.begins else wanted.prefix
    start = encode(whole)

    def check(row: Mapping[str, object]) -> bool:
        if keys is not None and encode([row[name] for name in key]) not in keys:
            return False
        if encode([row[name] for name in key[: len(whole)]]) != start:
            return False
        if not wanted.begins:
            return True
        value, begin = row[key[len(whole)]], wanted.prefix[-1]
        return isinstance(value, str) and isinstance(begin, str) and value.startswith(begin)

    return check
