"""Refusals of queries in words: what is denied, by which reasons, how to ask for it; or what was misspelt. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from catalog.errors import NotAllowed, WeirError
from policies import explain
from policies.model import Decision, Effect
from policies.query_errors import QueryFailed
from policies.sql.names import nearest
from policies.views import GovernedTable

_RAW = "_value, the record as it was sent, is shown only to who may see every field clear"


def not_allowed(decisions: list[Decision], gaps: list[str], purpose: str | None, ended: bool = False) -> NotAllowed:
    reasons = [{"dataset": d.reference, **r} for d in decisions for r in explain.reasons_json(d.reasons)]
    reasons += [
        {"kind": "gap", "name": "decision", "text": gap} for gap in (*gaps, *(g for d in decisions for g in d.gaps))
    ]
    names = ", ".join(d.reference for d in decisions)
    ask = [f"weir request {d.reference}" + (f" --purpose {purpose}" if purpose else "") for d in decisions]
    what = "Your access to" if ended else "You may not read"
    tail = " has ended." if ended else "; the reasons say why. Ask for access with a request."
    return NotAllowed(
        f"{what} {names}{tail}",
        details={"reasons": reasons, "datasets": [d.reference for d in decisions], "columns": [], "ask": ask},
    )


def unknown_column(tables: Collection[GovernedTable], parts: Sequence[str], error: QueryFailed) -> WeirError:
    for governed in tables:
        for start in range(min(2, len(parts))):
            column = explain.find(governed, parts[start])
            if column is None:
                continue
            decisions = explain.within(governed, column, parts[start + 1 :])
            denied = [d for d in decisions if d.effect is Effect.DENY]
            if column.sql is None or denied:
                fields = [d.path for d in denied or decisions]
                reference = governed.table.reference
                reasons = [
                    {"dataset": reference, "field": d.path, **r} for d in denied or decisions
                    for r in explain.reasons_json(d.reasons)
                ]  # fmt: skip
                if not reasons:
                    text = (
                        "no decision covers this field"
                        if column.name != "_value"
                        else ("_value, the record as it was sent, is shown only to who may see every field clear")
                    )
                    reasons = [
                        {"dataset": reference, "field": column.name, "kind": "default", "name": "deny", "text": text}
                    ]
                name = ".".join(parts[start:])
                return NotAllowed(
                    f"You may not read {name} of {reference}; the reasons say why. Ask for access with a request.",
                    details={
                        "reasons": reasons, "datasets": [reference], "columns": [name],
                        "ask": [f"weir request {reference} --fields {','.join(fields) or name}"],
                    },
                )  # fmt: skip
    known = [c.name for governed in tables for c in governed.shown]
    near = nearest(parts[-1], known) or nearest(parts[0], known)
    hint = f" did you mean {near}?" if near else f" The columns are {', '.join(known[:20])}." if known else ""
    name = ".".join(parts)
    message = f"There is no column {name};{hint}" if near else f"There is no column {name}.{hint}"
    return QueryFailed(message, details={**error.details, "name": name, "nearest": near})


def split_name(text: str) -> list[str]:
    """`` `a`.`b``c` `` -> [a, b``c]; a name without back-quotes is split at its dots."""
    if "`" not in text:
        return text.split(".")
    return [part for part in text.strip("`").split("`.`")]
