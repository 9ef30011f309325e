"""Which column of each followed topic its watermark is over. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from policies.sql.tables import TableRef
from views.shape.relations import is_call, origins, own_nodes, time_window
from views.shape.roles import Followed, Roles


def watermarks(reading: Roles, default: str, own: bool) -> dict[TableRef, str]:
    """The column of each followed topic. `own`: a column inside of a window or a bound of time goes before `default`."""
    chosen: dict[TableRef, str] = {}
    for each in reading.selects if own else ():
        for column in _times(each):
            for ref, name in origins(column, each.relations):
                chosen.setdefault(ref, name)
    return {ref: chosen.get(ref, default) for ref in reading.streams}


def _times(each: Followed) -> Iterator[Any]:
    for node in own_nodes(each.select):
        if is_call(node, "window", "session_window") and node.expressions:
            yield node.expressions[0]
    for _, bounds in each.tied:
        for column in bounds.columns:
            if time_window(column, each.relations) is None:
                yield column
