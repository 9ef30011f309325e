"""Texts as rows of one table: whether they are, and with which delimiter and columns. Runs in Spark's workers."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence

_DELIMITERS = ",;\t|"


def csv_options(texts: Sequence[str]) -> dict[str, object] | None:
    """`{delimiter, width, columns, header}` when the texts are rows of one table, else None.

    A comma in prose is followed by a space and its count varies; in a table neither is so.
    """
    if not texts:
        return None
    best: tuple[int, str, int] | None = None
    for delimiter in _DELIMITERS:
        holding = [t for t in texts if delimiter in t]
        if len(holding) * 10 < len(texts) * 9:
            continue
        if sum(any(c[:1] == " " for row in rows(t, delimiter) for c in row[1:]) for t in holding) * 2 > len(holding):
            continue
        widths = Counter(len(row) for t in texts for row in rows(t, delimiter))
        width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
        least = 4 if len(texts) < 3 else 3 if delimiter == "," else 2
        if width >= least and count * 20 >= sum(widths.values()) * 19:
            candidate = (width, delimiter, count)
            best = candidate if best is None or candidate > best else best
    if best is None:
        return None
    width, delimiter, _ = best
    options: dict[str, object] = {"delimiter": delimiter, "width": width}
    header = _header([row for t in texts for row in rows(t, delimiter)[:1] if len(row) == width], texts, delimiter)
    if header:
        options.update(header)
    return options


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_ .-]{0,63}\Z")


def _header(firsts: list[list[str]], texts: Sequence[str], delimiter: str) -> dict[str, object] | None:
    """Names of the columns: when every record begins with the same row, or the first record alone is all names."""
    if not firsts or not all(_NAME.match(cell) for cell in firsts[0]) or len(set(firsts[0])) != len(firsts[0]):
        return None
    names = [cell.strip() for cell in firsts[0]]
    # One text alone, however often, may as well be all data.
    if len(set(texts)) > 1 and all("\n" in t.strip() for t in texts) and all(row == firsts[0] for row in firsts):
        return {"columns": names, "header": True}
    others = firsts[1:]
    if not others or firsts.count(firsts[0]) > 1:
        return None
    # A name of a column is not one of its values: what comes again below is data, and data must not become names of fields.
    if any(firsts[0][column] in {row[column] for row in others} for column in range(len(names))):
        return None
    # In some column every other row holds a number, a date or something similar, which no name is.
    for column in range(len(names)):
        if all(row[column][:1].isdigit() or row[column][:1] in "-+" for row in others if row[column]):
            return {"columns": names, "header": False}
    return None


def rows(text: str, delimiter: str) -> list[list[str]]:
    """The rows of one record's text; a text that is not CSV is one row of one cell."""
    try:
        return [row for row in csv.reader(text.splitlines(), delimiter=delimiter, strict=True) if row]
    except csv.Error:
        return [[text]]
