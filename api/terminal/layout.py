"""Rows laid out as lines: a table of the columns that fit the width, in their order; one row may be one value a line.

Widths are cells of a terminal. Columns that do not fit are named, and values of records that are cut end with `…`. Without a
width (a pipe, a file) nothing is wrapped, cut or left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from api.terminal.cells import cell, cell_len, parts, plain

_GAP = 2
_NARROWEST = 16
"""A column of sentences is not wrapped to less, unless its texts are shorter."""
_TALLEST = 3
"""Lines that a row of a wrapped table has on average, at most."""
_ALIGNED = 80
"""In a pipe, columns are aligned up to this; a longer text moves its own row only."""
_BREAKS = re.compile(r"(?<=[/.,;:@&?=_\-])")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text; a heading is set off."""

    text: str
    heading: bool = False


@dataclass(frozen=True, slots=True)
class Laid:
    """left  names of the columns that do not fit
    cut   values are shortened, which `…` marks
    """

    lines: list[Line]
    left: list[str] = field(default_factory=list)
    cut: bool = False


def laid_out(
    names: Sequence[str], rows: Sequence[Sequence[Any]], width: int | None, *, exact: bool = False, blocks: bool = False
) -> Laid:
    """Rows of values under column names. `exact`: data of records, which is never wrapped within a table.

    A value that is a list or an object is written in words. With `blocks`, and where one row is wider than the width, each row
    is a block of `name  value` lines, objects by the paths of their values, and without what is empty (unless `exact`).
    """
    heads, cells, natural = _measured(names, rows, exact)
    if width is None:
        return Laid(_table(heads, cells, [min(each, _ALIGNED) for each in natural], wrap=False))
    fits = _total(natural) <= width
    if blocks or (len(rows) == 1 and not fits):
        return Laid(_blocks(heads, rows, width, exact))
    if fits:
        return Laid(_table(heads, cells, natural, wrap=False))
    return _of_data(heads, cells, width) if exact else _of_words(heads, cells, natural, width)


def _of_words(heads: Sequence[str], cells: Sequence[Sequence[str]], natural: Sequence[int], width: int) -> Laid:
    """As many of the first columns as fit, with texts wrapped; one at least."""
    for count in range(len(heads), 0, -1):
        some = [row[:count] for row in cells]
        widths = _narrowed(heads[:count], some, natural[:count], width)
        if widths is not None and _height(some, widths) <= _TALLEST * len(cells):
            return Laid(_table(heads[:count], some, widths, wrap=True), list(heads[count:]))
    first = [row[:1] for row in cells]
    return Laid(_table(heads[:1], first, [min(natural[0], width)], wrap=True), list(heads[1:]))


def _of_data(heads: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> Laid:
    """As many of the first columns as fit, one line a row; a value has half the width at most, and the last column what is
    left."""
    widths = [
        min(_natural(heads, cells, n), width if len(heads) == 1 else (width - _GAP) // 2) for n in range(len(heads))
    ]
    count = next((count for count in range(len(heads), 1, -1) if _total(widths[:count]) <= width), 1)
    room = width - _total(widths[:count]) - _GAP
    if count < len(heads) and room >= max(_NARROWEST, cell_len(heads[count])):
        widths[count] = room
        count += 1
    kept_heads = [_cut(head, w) for head, w in zip(heads, widths[:count], strict=False)]
    kept = [[_cut(text, w) for text, w in zip(row, widths[:count], strict=False)] for row in cells]
    is_cut = any(a != b for row, other in zip(cells, kept, strict=True) for a, b in zip(row, other, strict=False))
    return Laid(_table(kept_heads, kept, widths[:count], wrap=False), list(heads[count:]), is_cut)


def _natural(heads: Sequence[str], cells: Sequence[Sequence[str]], n: int) -> int:
    return max([cell_len(heads[n]), *(cell_len(row[n]) for row in cells)])


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else f"{_chopped(text, width - 1)[0]}…"


def _measured(
    names: Sequence[str], rows: Sequence[Sequence[Any]], exact: bool
) -> tuple[list[str], list[list[str]], list[int]]:
    """Column names and values as texts, and the width that each column has by itself."""
    heads = [plain(name) for name in names]
    cells = [[cell(value, exact=exact) for value in row] for row in rows]
    return heads, cells, [_natural(heads, cells, n) for n in range(len(heads))]


def wrapped(text: str, width: int) -> list[str]:
    """A text in lines of at most `width` cells, broken between words; within a word only where it is longer than that."""
    if cell_len(text) <= width:
        return [text]
    indent = re.match(" *", text)[0] if len(text) else ""  # type: ignore[index]  # it always matches
    indent = indent if len(indent) < width // 2 else ""
    lines, now = [], indent
    for word in text.split():
        pieces = [word] if cell_len(word) <= width - len(indent) else _broken(word, width - len(indent))
        for n, piece in enumerate(pieces):
            joined = f"{now} {piece}" if now.strip() and n == 0 else f"{now}{piece}"
            if cell_len(joined) <= width:
                now = joined
            else:
                lines.append(now)
                now = f"{indent}{piece}"
    return [*lines, now]


def _broken(word: str, width: int) -> list[str]:
    """The pieces of a word that no line holds: behind punctuation where there is some, else where the line ends."""
    pieces: list[str] = []
    for part in _BREAKS.split(word):
        if pieces and cell_len(pieces[-1] + part) <= width:
            pieces[-1] += part
        else:
            pieces += _chopped(part, width) if cell_len(part) > width else [part]
    return pieces


def _chopped(text: str, width: int) -> list[str]:
    from rich.cells import chop_cells

    return chop_cells(text, width)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _narrowed(
    heads: Sequence[str], cells: Sequence[Sequence[str]], natural: Sequence[int], width: int
) -> list[int] | None:
    """Widths that fit: the widest columns give way, none below its longest word. None where there are none."""
    least = [
        max(_longest_word([head, *(row[n] for row in cells)]), min(natural[n], _NARROWEST))
        for n, head in enumerate(heads)
    ]
    if _total(least) > width:
        return None
    widths = list(natural)
    while (over := _total(widths) - width) > 0:
        loose = [n for n in range(len(widths)) if widths[n] > least[n]]
        widest = max(loose, key=lambda n: widths[n])
        second = max((widths[n] for n in loose if n != widest), default=0)
        widths[widest] = max(widths[widest] - over, least[widest], min(second, widths[widest] - 1))
    return widths


def _longest_word(texts: Sequence[str]) -> int:
    return max((cell_len(word) for text in texts for word in text.split()), default=0)


def _height(cells: Sequence[Sequence[str]], widths: Sequence[int]) -> int:
    return sum(max(len(wrapped(text, w)) for text, w in zip(row, widths, strict=True)) for row in cells)


def _table(heads: Sequence[str], cells: Sequence[Sequence[str]], widths: Sequence[int], *, wrap: bool) -> list[Line]:
    return [
        *(Line(text, heading=True) for text in _row(heads, widths, wrap)),
        *(Line(text) for row in cells for text in _row(row, widths, wrap)),
    ]


def _row(texts: Sequence[str], widths: Sequence[int], wrap: bool) -> list[str]:
    columns = [wrapped(text, w) if wrap else [text] for text, w in zip(texts, widths, strict=True)]
    lines = []
    for n in range(max(map(len, columns), default=0)):
        pieces = (_padded(column[n] if n < len(column) else "", w) for column, w in zip(columns, widths, strict=True))
        lines.append((" " * _GAP).join(pieces).rstrip(" "))
    return lines


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def _blocks(heads: Sequence[str], rows: Sequence[Sequence[Any]], width: int, exact: bool) -> list[Line]:
    """Each row as a block of one value a line."""
    lines: list[Line] = []
    for number, row in enumerate(rows, 1):
        if len(rows) > 1:
            lines += [Line("")] if lines else []
            lines.append(Line(f"{number} of {len(rows)}", heading=True))
        match = [part for head, value in zip(heads, row, strict=True) for part in parts(head, value)]
        shown = [(name, _paragraphs(value, exact)) for name, value in match]
        kept = [(name, texts) for name, texts in shown if exact or texts != [""]]
        label = min(max((cell_len(name) for name, _ in kept), default=0), width // 3)
        for name, texts in kept:
            lines += map(Line, _labelled(name, texts, label, width))
    return lines


def _paragraphs(value: Any, exact: bool) -> list[str]:
    """The lines of a text, as of a statement in SQL; of data a line's end is a sign as others are."""
    if isinstance(value, str) and not exact:
        return [plain(line) for line in value.rstrip().splitlines()] or [""]
    return [cell(value, exact=exact)]


def _labelled(name: str, texts: Sequence[str], label: int, width: int) -> list[str]:
    """`name  value`; the value goes below its name where a word of it would not fit beside."""
    beside = width - label - 2 * _GAP
    if cell_len(name) <= label and _longest_word(texts) <= beside:
        lines = [line for text in texts for line in wrapped(text, beside)]
        first, indent = f"  {_padded(name, label)}  ", " " * (label + 2 * _GAP)
        return [f"{first if n == 0 else indent}{line}".rstrip(" ") for n, line in enumerate(lines)]
    values = [f"    {line}" for text in texts for line in wrapped(text, width - 4)]
    return [*(f"  {line}" for line in wrapped(name, width - 2)), *values]
