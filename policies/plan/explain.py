"""Words for decisions: the sentences on each column in the header of an answer, a refusal and an explanation. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from catalog.datatypes import ArrayType, MapType, StructType
from catalog.paths import FieldPath
from policies.model import ColumnDecision, Decision, Effect, Mask, MaskType, Reason
from policies.plan.answer_parts import ColumnEffect, ExplainedTable, QueryDecision, ShownMask
from policies.plan.ports import QueryTable
from policies.plan.value_columns import kind_of
from policies.plan.views import Column, GovernedTable
from policies.sql.expression_sources import ELEMENT, Output
from policies.sql.names import fold
from policies.sql.tables import TableRef

DERIVED: ColumnEffect = {"effect": "derived", "text": "derived"}


def reasons_json(reasons: Iterable[Reason]) -> list[dict[str, str]]:
    return [{"kind": r.kind, "name": r.name, "text": r.text} for r in reasons]


def decision_json(decisions: Sequence[Decision], fields: Mapping[str, Collection[str]] | None = None) -> QueryDecision:
    """{effect, reasons, gaps, grants, filters, expires} of all tables of a query together; one deny denies it.

    `fields`: dataset -> the paths whose reasons are included; all of them when None.
    """
    denied = [d for d in decisions if d.effect is Effect.DENY]
    expires = min((d.expires for d in decisions if d.expires is not None), default=None)
    reasons = [{"dataset": d.reference, **r} for d in decisions for r in reasons_json(d.reasons)]
    for decision in decisions:
        for column in decision.columns:
            listed = fields is None or column.path in fields.get(decision.reference, ())
            if listed and (column.effect is Effect.DENY or is_masked(column)):
                reasons += [
                    {"dataset": decision.reference, "field": column.path, **r} for r in reasons_json(column.reasons)
                ]
    return {
        "effect": str(Effect.DENY if denied or not decisions else Effect.ALLOW) if decisions else str(Effect.ALLOW),
        "reasons": reasons,
        "gaps": [gap for d in decisions for gap in d.gaps],
        "grants": sorted({grant for d in decisions for grant in d.grants}),
        "filters": [{"dataset": d.reference, "where": f.where} for d in decisions for f in d.filters],
        "expires": expires.isoformat() if expires else None,
    }


def mask_json(mask: Mask | None) -> ShownMask | None:
    """None where the value shows as it is."""
    if mask is None:
        return None
    return {"type": str(mask.type), "expression": mask.expression, "params": dict(mask.params)}


def is_masked(column: ColumnDecision) -> bool:
    return column.mask is not None and column.mask.type is not MaskType.MASK_NONE


def describe(decisions: Sequence[ColumnDecision], direct: bool, note: str | None = None) -> ColumnEffect:
    """How one column is shown; `note`: why it is withheld."""
    if note:
        return {"effect": "withheld", "text": note}
    masked = [d for d in decisions if is_masked(d) and d.effect is Effect.ALLOW]
    denied = [d for d in decisions if d.effect is Effect.DENY]
    if not masked and not denied:
        text = "clear" if direct else "derived from unmasked fields"
        shown: ColumnEffect = {"effect": "clear" if direct else "derived", "text": text}
        if because := opened_by(decisions):
            shown["opened"] = because
        return shown
    if masked:
        reasons = "; ".join(dict.fromkeys(_said(d) for d in masked[:5]))
        return {
            "effect": "masked" if direct else "derived",
            "text": reasons if direct else f"derived from masked fields: {reasons}",
            "masks": sorted({str(d.mask.type) for d in masked if d.mask}),
            "fields": [d.path for d in masked],
        }
    reasons = "; ".join(dict.fromkeys(_said(d) for d in denied[:5]))
    return {"effect": "denied", "text": f"parts are left out: {reasons}", "fields": [d.path for d in denied]}


_OPENS = ("grant", "owner", "role")
"""Kinds of reasons that let somebody read, the strongest word first: a grant was asked for and approved."""


def opened_by(decisions: Sequence[ColumnDecision], most: int = 5) -> list[str]:
    """What lets the subject see these columns unmasked: sentences of the grants, roles and ownership, grants first."""
    kinds = {r.text: _OPENS.index(r.kind) for d in decisions for r in d.reasons if r.kind in _OPENS and r.text}
    return sorted(kinds, key=lambda text: (kinds[text], text))[:most]


def _said(column: ColumnDecision) -> str:
    order = ("policy", "gap", "default", "role", "grant", "tag")
    chosen = sorted((r for r in column.reasons if r.kind in order), key=lambda r: order.index(r.kind))
    tags = [r.text for r in column.reasons if r.kind == "tag"]
    what = f"{column.mask.type}" if column.mask else "denied"
    if not chosen:
        return f"{column.path}: {what}"
    first = chosen[0]
    reason = (
        f"{column.path}: {what} by {first.name}" if first.kind == "policy" else f"{column.path}: {what}, {first.text}"
    )
    return f"{reason} ({'; '.join(tags)})" if tags and first.kind != "tag" else reason


def header(output: Output | None, tables: Mapping[TableRef, GovernedTable]) -> ColumnEffect:
    """One column in the header of an answer."""
    if output is None:
        return DERIVED.copy()
    if not output.sources:
        return {"effect": "derived", "text": "not from a topic"}
    decisions: list[ColumnDecision] = []
    note = None
    for ref, names in output.sources:
        governed = tables.get(ref)
        column = find(governed, names[0]) if governed else None
        if governed is None or column is None:
            return DERIVED.copy()
        note = note or column.note
        decisions += within(governed, column, names[1:])
    return describe(decisions, output.direct, note if output.direct else None)


def find(governed: GovernedTable, name: str) -> Column | None:
    return governed.names.get(name) or next((c for c in governed.columns if fold(c.name) == fold(name)), None)


def within(governed: GovernedTable, column: Column, names: Sequence[str]) -> list[ColumnDecision]:
    """The decisions on what a column and names below it reach."""
    if column.path is None:
        return []
    used = {d.path for d in column.decisions}
    return [d for d in governed.places.deciding(path_of(governed, column, names)) if d.path in used]


def path_of(governed: GovernedTable, column: Column, names: Sequence[str]) -> FieldPath:
    """The field path of a name such as `customer.email`, as far down as the type is known."""
    path = column.path
    assert path is not None
    if path.root == "headers":
        return path.field(names[0]) if names else path
    kind = kind_of(governed.table, column.name, path)
    for name in names:
        if name == ELEMENT and isinstance(kind, ArrayType | MapType):
            path, kind = (path.elements(), kind.element) if isinstance(kind, ArrayType) else (path.values(), kind.value)
            continue
        while isinstance(kind, ArrayType):
            path, kind = path.elements(), kind.element
        if isinstance(kind, MapType):
            path, kind = path.map_key(name), kind.value
        elif isinstance(kind, StructType):
            exact = next((n for n, _ in kind.fields if n == name), None)
            member = exact or next((n for n, _ in kind.fields if fold(n) == fold(name)), None)
            if member is None:
                break
            path, kind = kind.path_of(path, member), kind.get(member)
        else:
            break
    return path


def table_json(ref: TableRef, table: QueryTable, decision: Decision, governed: GovernedTable | None) -> ExplainedTable:
    answer: ExplainedTable = {
        "name": ref.name,
        "dataset": table.reference,
        "effect": str(decision.effect),
        "reasons": reasons_json(decision.reasons),
        "gaps": list(decision.gaps),
        "filters": [f.where for f in decision.filters],
        "grants": list(decision.grants),
        "fields": [
            {
                "path": c.path,
                "effect": str(c.effect),
                "mask": str(c.mask.type) if c.mask else None,
                "clearWhen": c.clear_when,
                "reasons": reasons_json(c.reasons),
            }
            for c in decision.columns
        ],
    }
    if governed is not None:
        answer["columns"] = [
            {
                "name": column.name,
                "shown": column.sql is not None,
                "decision": describe(column.decisions, True, column.note),
            }
            for column in governed.columns
        ]
    return answer
