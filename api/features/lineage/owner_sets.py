"""Sets of owners of what a change affects, and what is reported of each owner. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from api.features.lineage.answers.announced import NotifiedOwner
from lineage.questions.answers import Affected

Sets = Mapping[tuple[str, ...], Sequence[Affected]]
"""Owners, as `Owner` is written -> what of theirs is affected, nearest first."""
_MOST_NAMED = 20


def sets_of(rows: Iterable[Affected]) -> Sets:
    """Things without an owner are left out."""
    sets: dict[tuple[str, ...], list[Affected]] = {}
    for row in rows:
        if row.owners:
            sets.setdefault(tuple(sorted(row.owners)), []).append(row)
    return sets


def kind_and_name(owner: str) -> tuple[str, str]:
    """(user or group, name) of an owner as it is written."""
    kind, colon, name = owner.partition(":")
    return ("group", name) if colon and kind == "group" else ("user", owner)


def owners_of(sets: Sets, problems: Mapping[tuple[str, ...], Mapping[str, str | None]]) -> list[NotifiedOwner]:
    """Each owner once, with all that is theirs. `problems`: by set and owner why they were not notified, None if they were."""
    affected: Counter[str] = Counter()
    outcomes: dict[str, list[str | None]] = {}
    for owners, rows in sets.items():
        for owner in owners:
            affected[owner] += len(rows)
            outcomes.setdefault(owner, []).append(problems[owners][owner])
    return [_owner(owner, affected[owner], outcomes[owner]) for owner in sorted(outcomes, key=_by_name)]


def _by_name(owner: str) -> tuple[str, str]:
    kind, name = kind_and_name(owner)
    return name, kind


def _owner(owner: str, affected: int, outcomes: Sequence[str | None]) -> NotifiedOwner:
    kind, name = kind_and_name(owner)
    notified = None in outcomes
    problem = {} if notified else {"problem": outcomes[0]}
    return NotifiedOwner.model_validate(
        {"name": name, "kind": kind, "affected": affected, "notified": notified, **problem}
    )


def summary(owners: Sequence[NotifiedOwner], without: int, hidden: int, truncated: bool) -> str:
    """A few sentences: how many were notified, who was not and why, what else has nobody to notify."""
    done = sum(each.notified for each in owners)
    sentences = [
        f"{done} of {len(owners)} owner{'s' if len(owners) != 1 else ''} {'is' if done == 1 else 'are'} notified."
        if owners
        else "Nobody is notified: nothing downstream has an owner that you may know of."
    ]
    by_problem: dict[str, list[str]] = {}
    for each in owners:
        if not each.notified:
            named = f"the group {each.name}" if each.kind == "group" else each.name
            by_problem.setdefault(each.problem, []).append(named)
    for problem, names in by_problem.items():
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        sentences.append(f"{', '.join(names[:_MOST_NAMED])}{more}: {problem}.")
    if without:
        sentences.append(f"{without} affected thing{'s have' if without > 1 else ' has'} no owner.")
    if hidden:
        sentences.append(f"You may not see {hidden} of what is affected; the owners of that are not notified.")
    if truncated:
        sentences.append("The graph has more than was read; ask from a nearer node for the rest.")
    return " ".join(sentences)
