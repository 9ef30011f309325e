"""Refusals of queries in words: what is denied, by which reasons, how to ask for it; or what was misspelt. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Sequence

from catalog.errors import NotAllowed, WeirError
from catalog.near_names import did_you_mean
from policies.model import ColumnDecision, Decision, Effect
from policies.plan import explain
from policies.plan.errors import QueryFailed
from policies.plan.views import SYSTEM_COLUMNS, Column, GovernedTable
from policies.sql.names import fold, nearest

_UNDECIDED = (
    "it was neither scanned nor declared, so its content is not known; scan it, or declare it in a Dataset document"
)
_RAW = "_value, the record as it was sent, is shown only to those who may see every field unmasked"
_NAMES_SHOWN = 20
_BESIDE = "A star leaves it out: name it in the SELECT of the subquery, as in SELECT *, _offset; NATURAL JOIN has none."
_OUT_OF_SIGHT = "Beyond a subquery, DISTINCT or GROUP BY only what their SELECT names is left; WHERE knows no aliases."


def not_allowed(
    decisions: Sequence[Decision], gaps: Sequence[str], purpose: str | None, ended: bool = False
) -> NotAllowed:
    """A denial of whole datasets. details: reasons, datasets, columns (none), ask (commands that request access)."""
    reasons = [{"dataset": d.reference, **r} for d in decisions for r in explain.reasons_json(d.reasons)]
    missing = (*gaps, *(gap for d in decisions for gap in d.gaps))
    reasons += [{"kind": "gap", "name": "decision", "text": gap} for gap in missing]
    names = ", ".join(d.reference for d in decisions)
    ask = [f"weir request create {d.reference} --purpose {_word(purpose)}" for d in decisions]
    what = "Your access to" if ended else "You may not read"
    tail = " has ended." if ended else ". Request access to it; the reasons name what is missing."
    return NotAllowed(
        f"{what} {names}{tail}",
        details={"reasons": reasons, "datasets": [d.reference for d in decisions], "columns": [], "ask": ask},
    )


def unknown_column(
    tables: Collection[GovernedTable],
    parts: Sequence[str],
    error: QueryFailed,
    aliases: Iterable[str] = (),
    of: str | None = None,
    names_of_tables: Iterable[str] = (),
) -> WeirError:
    """What is true of a column that the engine did not find: denied to this subject, or misspelt.

    `parts` are its names as written, `aliases` those that the query gives itself; `of` is what the query calls the only
    table that it can be a column of. `names_of_tables`: what it calls its tables; with `of` those of them that have the column.
    """
    for governed in tables:
        for start in range(min(2, len(parts))):
            column = explain.find(governed, parts[start])
            if column is None:
                continue
            decisions = explain.within(governed, column, parts[start + 1 :])
            denied = [d for d in decisions if d.effect is Effect.DENY]
            if column.sql is None or denied:
                return _denied(governed, column, ".".join(parts[start:]), denied or decisions)
    written = ".".join(parts)
    details = {**error.details, "name": written, "nearest": None}
    if error.known:
        near = nearest(parts[-1], error.known)
        hint = did_you_mean(near, f". Its fields are {', '.join(error.known[:_NAMES_SHOWN])}.", "; ")
        owner = ".".join(parts[:-1]) or "The struct"
        return QueryFailed(f"{owner} has no field {parts[-1]}{hint}", details={**details, "nearest": near})
    names = list(dict.fromkeys([*(c.name for governed in tables for c in governed.shown), *aliases]))
    near = nearest(parts[-1], names) or nearest(parts[0], names)
    if of is None and near is not None and fold(near) == fold(parts[-1]):
        qualifier = _qualifier(".".join(parts[:-1]), names_of_tables) if len(parts) > 1 else _OUT_OF_SIGHT
        where = _BESIDE if near in SYSTEM_COLUMNS else qualifier
        return QueryFailed(f"There is no column {written} at this place of the query. {where}", details=details)
    listed = f". The columns are {', '.join(names[:_NAMES_SHOWN])}." if names else "."
    if of is not None and (others := list(names_of_tables)):
        near, listed = None, f"; {' and '.join(others)} {'has' if len(others) == 1 else 'have'} one."
    hint = did_you_mean(near, listed, "; ")
    there_is_none = f"{of} has no column {parts[0]}" if of is not None else f"There is no column {written}"
    return QueryFailed(f"{there_is_none}{hint}", details={**details, "nearest": near})


def _qualifier(name: str, tables: Iterable[str]) -> str:
    known = ", ".join(dict.fromkeys(tables))
    return f"It is not known by the name {name}{f'; the tables are {known}' if known else ''}."


def _denied(governed: GovernedTable, column: Column, name: str, decisions: Sequence[ColumnDecision]) -> NotAllowed:
    reference = governed.table.reference
    reasons = [{"dataset": reference, "field": d.path, **r} for d in decisions for r in explain.reasons_json(d.reasons)]
    if not reasons:
        text = _RAW if column.name == "_value" else _UNDECIDED
        reasons = [
            {
                "dataset": reference,
                "field": str(column.path or column.name),
                "kind": "default",
                "name": "deny",
                "text": text,
            }
        ]
    fields = " ".join(f"--field '{d.path}'" for d in decisions) or f"--field '{column.path or name}'"
    return NotAllowed(
        f"You may not read {name} of {reference}. Request access to it; the reasons name what is missing.",
        details={
            "reasons": reasons,
            "datasets": [reference],
            "columns": [name],
            "ask": [f"weir request create {reference} {fields} --purpose PURPOSE"],
        },
    )


def _word(purpose: str | None) -> str:
    return shlex.quote(purpose) if purpose else "PURPOSE"


def split_name(text: str) -> list[str]:
    """A name as Spark reports it: `` `a`.`b` `` -> [a, b]; without back-quotes it is split at its dots."""
    if "`" not in text:
        return text.split(".")
    return [part.replace("``", "`") for part in text.strip("`").split("`.`")]
