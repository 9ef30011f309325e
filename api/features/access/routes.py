"""`/access`, `/explain`: who has access to what, and why; rights nobody uses; two people or two moments compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from fastapi import Query, Response

from api.edge.openapi import answers_with
from api.edge.parameters import AsOf, Count, Instant, Limit, Name, Offset, Text
from api.features.access import answers
from api.features.access.comparison_answers import Comparison
from api.formats.listing import as_file
from api.guard.guards import OWNERS, Caller, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from api.wiring.access_services import EffectiveAccess
from policies.audit.log import AuditLog
from policies.effective.compare import Side
from policies.model import Subject

router = FeatureRouter(tags=["access"])

Form = Annotated[Literal["json", "csv", "jsonl"], Query(description="csv and jsonl are whole, not by pages.")]
_FILES = ("text/csv", "application/x-ndjson")
_SHOWN = ("purpose", "shows", "clear", "masked", "hidden", "masks", "rows", "clearWhen", "until", "rules", "how")
Shows = Annotated[
    Literal["clear", "partly", "masked", "none"] | None, Query(description="Only entries that show so much.")
]


@router.get(
    "/access/datasets/{cluster}/{topic}",
    dependencies=[
        needs("audit:read", "manage", "report:read", others=OWNERS, scope="report:read", agents=True),
    ],
    response_model=answers.EffectiveAccess,
    responses=answers_with(answers.EffectiveAccess, *_FILES),
)
def dataset(
    access: From[EffectiveAccess],
    readers: From[Readers],
    audit: From[AuditLog],
    caller: Caller,
    cluster: Name,
    topic: Name,
    field: Annotated[Text | None, Query(description="Only this field, as value.customer.email.")] = None,
    asOf: AsOf = None,
    kind: Annotated[
        list[Literal["user", "group", "role"]] | None,
        Query(description="user when absent; groups and roles may have members that only a provider knows."),
    ] = None,
    name: Annotated[Text | None, Query(description="Only this person, group or role.")] = None,
    shows: Shows = None,
    format: Form = "json",
    limit: Limit = 100,
    offset: Offset = 0,
) -> answers.EffectiveAccess | Response:
    """Everybody who may read a dataset or a field, with the rules behind it: role, ownership, grant, exception of a policy.

    For owners of the dataset, and holders of report:read, audit:read or manage.
    """
    reference = _reference(readers, caller, f"{cluster}/{topic}")
    collected = access.dataset.of(caller, reference, field, asOf, tuple(kind or ("user",)), name, shows)
    _note(audit, caller, f"{reference}#{field}" if field else reference, f"{len(collected.entries)} entries")
    if format == "json":
        return answers.EffectiveAccess.of(collected, offset, limit)
    holding = collected.holding()
    rows = (answers.AccessEntry.of(each, holding) for each in collected.entries)
    return as_file(_flat(rows, format), ("kind", "name", *_SHOWN), format, "access", collected.notes)


@router.get(
    "/access/people/{name}",
    dependencies=[
        needs(
            "audit:read", "manage", "report:read", others="the person; owners, of their datasets", scope="report:read"
        )
    ],
    response_model=answers.PersonAccess,
    responses=answers_with(answers.PersonAccess, *_FILES),
)
def person(
    access: From[EffectiveAccess],
    audit: From[AuditLog],
    caller: Caller,
    name: Name,
    asOf: AsOf = None,
    dataset: Annotated[Text | None, Query(description="Only datasets of a pattern, as prod/*.")] = None,
    shows: Shows = None,
    format: Form = "json",
    limit: Limit = 100,
    offset: Offset = 0,
) -> answers.PersonAccess | Response:
    """Everything a person sees: each dataset unmasked, partly, masked or not, with the rules behind it.

    People ask about themselves; owners about others on their datasets; holders of report:read, audit:read or manage about all.
    """
    collected = access.person.of(caller, name, asOf, dataset, shows)
    if caller.user != name:
        _note(audit, caller, name, f"{len(collected.rows)} entries")
    if format == "json":
        return answers.PersonAccess.of(collected, offset, limit)
    rows = (answers.SeenDataset.of(each, collected.rules(each)) for each in collected.rows)
    return as_file(_flat(rows, format), ("dataset", *_SHOWN), format, "access", collected.notes)


@router.get(
    "/access/unused",
    dependencies=[
        signed_in(
            "all for `report:read`, `audit:read` and `manage`; those of a dataset for its owners",
            scope="report:read",
        )
    ],
    response_model=answers.UnusedRights,
    responses=answers_with(answers.UnusedRights, *_FILES),
)
def unused(
    access: From[EffectiveAccess],
    audit: From[AuditLog],
    caller: Caller,
    days: Annotated[Count, Query(le=3650, description="Nothing was read for so many days.")] = 90,
    dataset: Annotated[Text | None, Query(description="Only rights on datasets of a pattern, as prod/*.")] = None,
    person: Annotated[Text | None, Query(description="Only this person's.")] = None,
    kind: Literal["grant", "role", "owner"] | None = None,
    format: Form = "json",
    limit: Limit = 100,
    offset: Offset = 0,
) -> answers.UnusedRights | Response:
    """Rights by which nothing was read, as far as the audit reaches: grants, roles that people hold, ownership."""
    collected = access.unused.of(caller, days, dataset, person, kind)
    if any(each.person != caller.user for each in collected.rights) or person not in (None, caller.user):
        _note(audit, caller, person or "unused rights", f"{len(collected.rights)} rights unused for {days} days")
    if format == "json":
        return answers.UnusedRights.of(collected, offset, limit)
    rights = (answers.UnusedRight.of(each).model_dump() for each in collected.rights)
    notes = [*collected.notes, f"{collected.young} grants are younger than {days} days and are left out."]
    return as_file(rights, ("kind", "name", "person", "dataset", "since", "how"), format, "unused", notes)


@router.get(
    "/explain/compare",
    dependencies=[
        needs(
            "audit:read",
            "manage",
            "report:read",
            others="people about themselves; owners of the dataset",
            scope="report:read",
        )
    ],
)
def compare(
    access: From[EffectiveAccess],
    readers: From[Readers],
    audit: From[AuditLog],
    caller: Caller,
    dataset: Annotated[Text, Query(description="CLUSTER/TOPIC.")],
    left: Annotated[Text | None, Query(description="A person; the caller when absent.")] = None,
    right: Annotated[Text | None, Query(description="A person; the same as left when absent.")] = None,
    leftAsOf: Annotated[Instant | None, Query(description="The moment of the left side; now when absent.")] = None,
    rightAsOf: Annotated[Instant | None, Query(description="The moment of the right side; now when absent.")] = None,
    leftPurpose: Annotated[Text | None, Query(description="A purpose that the left side states.")] = None,
    rightPurpose: Annotated[Text | None, Query(description="A purpose that the right side states.")] = None,
) -> Comparison:
    """What two people, or one person at two moments or for two purposes, see of a dataset, and which rules make it differ."""
    reference = _reference(readers, caller, dataset)
    first = Side(left or caller.user, leftAsOf, leftPurpose)
    second = Side(right or first.person, rightAsOf, rightPurpose)
    collected = access.compare.of(caller, reference, first, second)
    if {first.person, second.person} != {caller.user}:
        _note(audit, caller, reference, f"{first.person} and {second.person}")
    return Comparison.of(collected)


def _reference(readers: Readers, caller: Subject, text: str) -> str:
    """Of a dataset whose schema the caller may know. Raises DatasetNotFound, NotAllowed."""
    reader = readers.of(caller)
    reference = reader.named(text)
    reader.require_schema(reference)
    return reference


def _note(audit: AuditLog, caller: Subject, target: str, what: str) -> None:
    audit.record_by(caller, "report.access", target, "allow", [what])


def _flat(rows: Iterable[answers.AccessEntry | answers.SeenDataset], form: str) -> Iterator[Mapping[str, Any]]:
    """Rows for CSV, where rules are their sentences; JSON lines keep what is inside."""
    for row in rows:
        keys = row.model_dump()
        if form == "jsonl":
            yield keys
            continue
        how = (f"{rule.kind} {rule.name}: {', '.join(rule.how)}" for rule in row.rules if rule.how)
        texts = [rule.text for rule in row.rules]
        more = [f"{row.more_rules} more rules"] if row.more_rules else []
        yield {**keys, **keys["fields"], "rules": [*texts, *more], "how": list(dict.fromkeys(how))}
