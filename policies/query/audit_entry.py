"""What the audit keeps of a query: who, why, which fields, under which decision; literals never."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from policies.audit.actions import AuditAction
from policies.model import Decision, Subject
from policies.plan import explain
from policies.plan.ports import QueryRecord
from policies.plan.registry import Running
from policies.plan.views import GovernedTable
from policies.sql.literals import without_literals


def entry(
    subject: Subject,
    action: AuditAction,
    purpose: str | None,
    sql: str,
    outcome: str,
    reasons: Iterable[str],
    *,
    datasets: Sequence[str] = (),
    governed: Mapping[str, tuple[GovernedTable, Sequence[tuple[str, ...]]]] | None = None,
    decisions: Sequence[Decision] = (),
    running: Running | None = None,
    form: str | None = None,
) -> QueryRecord:
    """An entry, `governed` giving for each dataset the names its columns were used by."""
    fields: dict[str, tuple[str, ...]] = {}
    masked: dict[str, tuple[str, ...]] = {}
    for reference, (table, uses) in (governed or {}).items():
        paths, hidden = set(), set()
        for names in uses:
            column = explain.find(table, names[0])
            if column is None:
                continue
            paths.add(str(explain.path_of(table, column, names[1:])) if column.path is not None else column.name)
            hidden |= {d.path for d in explain.within(table, column, names[1:]) if explain.is_masked(d)}
        fields[reference], masked[reference] = tuple(sorted(paths)), tuple(sorted(hidden))
    return QueryRecord(
        subject=subject,
        action=action,
        purpose=purpose,
        sql=without_literals(sql),
        datasets=tuple(datasets),
        fields=fields,
        masked=masked,
        grants=tuple(sorted({g for d in decisions for g in d.grants})),
        outcome=outcome,
        reasons=tuple(reasons) or tuple(r.text for d in decisions for r in d.reasons),
        id=running.id if running else None,
        format=form,
    )


def end_entry(subject: Subject, running: Running, datasets: Sequence[str], outcome: str) -> QueryRecord:
    """What went out of a query that was let in: the second entry with its id, `action` query.end."""
    if outcome == "done" and running.partial:
        outcome = "partial"
    reasons = tuple(text for text in (running.problem, running.message) if text)
    return QueryRecord(
        subject=subject,
        action="query.end",
        purpose=running.purpose,
        sql="",
        datasets=tuple(datasets),
        fields={},
        masked={},
        grants=(),
        outcome=outcome,
        reasons=reasons,
        rows=running.rows,
        bytes=running.bytes or None,
        seconds=running.seconds,
        id=running.id,
    )
