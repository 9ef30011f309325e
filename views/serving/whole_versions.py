"""Cutting a list of changes between versions. Pure.

The rows of one version were written as one; so they are read as one, and who follows continues behind a version.
"""

from __future__ import annotations

from collections.abc import Callable

from views.row_ports import Change, Changes

_MORE = 8


def whole_versions(read: Callable[[int], list[Change]], limit: int, until: int) -> Changes:
    """`read` gives the first changes, ordered by version, as many as asked for at most. Gives at most `limit` of them, or
    one whole version that is larger."""
    most = limit
    while True:
        changes = read(most + 1)
        if len(changes) <= most:
            return Changes(tuple(changes), until)
        last = changes[-1].version
        whole = [each for each in changes if each.version < last]
        if whole:
            return Changes(tuple(whole), last - 1)
        most *= _MORE
