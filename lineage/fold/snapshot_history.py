"""What runs reported when, where each report is complete and a later one may withdraw or repeat what it lists.

Reports are a set, so their order of arrival does not matter while there are few. Of very many, those between two
equal neighbours are dropped first: they only confirm.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

from lineage.fold.runs import Turns


def add_turn(turns: Turns, time: int, key: str, limit: int) -> bool:
    """Add a turn; whether it was new. At most `limit` turns, or as many as there are changes, are kept."""
    at = bisect_left(turns, (time, key))
    if at < len(turns) and turns[at] == (time, key):
        return False
    turns.insert(at, (time, key))
    if len(turns) > limit:
        ends = range(len(turns))
        turns[:] = [
            turn
            for n, turn in enumerate(turns)
            if n in (0, ends[-1]) or not turns[n - 1][1] == turn[1] == turns[n + 1][1]
        ]
    return True


def all_turns(first: Mapping[str, int], turns: Turns) -> Turns:
    """The turns with those only known by their first time."""
    return sorted({(time, key) for key, time in first.items()} | set(turns))


def changes(turns: Turns) -> Turns:
    """Only those that differ from the one before."""
    return [turn for at, turn in enumerate(turns) if at == 0 or turns[at - 1][1] != turn[1]]


def newest_changes(turns: Turns, limit: int) -> Turns:
    """The turns of the first and of the newest changes."""
    all_changes = changes(turns)
    if len(all_changes) <= limit:
        return turns
    since = all_changes[len(all_changes) - limit + 1]
    return [all_changes[0], *(turn for turn in turns if turn >= since)]
