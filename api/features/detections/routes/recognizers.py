"""`/recognizers`: a recognizer tried before it counts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.parameters import Count, Text
from api.features.detections.recognizers import MAX_VALUES, Recognizers, recognizer_of
from api.features.detections.trial_answers import TrialOnDataset, TrialOnValues
from api.guard.guards import Caller, needs
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from api.visibility.sight import SightRules
from catalog.datasets.datasets import Datasets
from catalog.errors import InvalidInput, NotAllowed
from policies.access.purposes import PurposeUse
from policies.audit.log import AuditLog
from scanners.model import Recognizer

router = FeatureRouter("/recognizers", tags=["catalog"])


class TrialBody(RequestBody):
    """Values of your own, or a dataset; never both."""

    recognizer: dict[str, object] = Field(
        description="A document of kind Recognizer, its spec, or an entry of presidio's recognizers.",
        examples=[
            {"supported_entity": "EMPLOYEE_NUMBER", "patterns": [{"name": "e", "regex": "EMP-[0-9]{6}", "score": 0.6}]}
        ],
    )
    values: Annotated[list[str], Field(max_length=MAX_VALUES)] | None = None
    dataset: str | None = Field(None, examples=["prod/orders"])
    field: str | None = Field(None, examples=["value.employee"])
    records: Annotated[Count, Field(le=100_000)] = 1000
    purpose: Annotated[Text, Field(max_length=253)] | None = Field(
        None, description="Counts only with an active grant for that purpose."
    )


@router.post("/test", dependencies=[needs("scan")])
def test(
    recognizers: From[Recognizers],
    datasets: From[Datasets],
    readers: From[Readers],
    sights: From[SightRules],
    purposes: From[PurposeUse],
    audit: From[AuditLog],
    caller: Caller,
    body: TrialBody,
) -> TrialOnValues | TrialOnDataset:
    """How many of the values it finds, whether that makes a tag, which harmless look-alikes it flags. Nothing is kept.

    On a dataset it is a question about values, so it is answered for the fields that the caller may read unmasked in every
    row, and for the others only where somebody else declared the recognizer as it is. The audit keeps its patterns.
    """
    if (body.values is None) is (body.dataset is None):
        raise InvalidInput("Give either values or a dataset to try the recognizer on.")
    recognizer = recognizer_of(body.recognizer)
    if body.values is not None:
        return recognizers.on_values(recognizer, body.values, body.field or "value.field")
    purposes.require(body.purpose)
    known = readers.of(caller).datasets
    record = known.get(known.find(str(body.dataset)))
    approved = recognizers.declared_by_another(recognizer, caller.user)
    seen = sights.of(caller, body.purpose).by_decision(record.reference)
    about = [f"field {body.field}"] if body.field else []
    about += ["declared by another"] if approved else [*_patterns(recognizer)]

    def note(outcome: str) -> None:
        audit.record_by(caller, "recognizer.test", record.reference, outcome, [recognizer.name, *about])

    try:
        # Before the first record is read, as queries do.
        recognizers.check_field(record, body.field, seen.reads if not approved else _every)
    except NotAllowed:
        note("deny")
        raise
    note("allow")
    if not approved:
        return recognizers.on_dataset(recognizer, record, body.field, seen.reads, body.records)
    # Of fields that the caller may not read, counts of n and of n + 1 records would show one record.
    whole = all(seen.reads(each.path) for each in datasets.schema(record.id).fields)
    answer = recognizers.on_dataset(recognizer, record, body.field, _every, body.records if whole else _SAMPLE)
    if not seen.counts:
        answer.records = None
    return answer


_SAMPLE = 1000


def _every(_: str) -> bool:
    return True


def _patterns(recognizer: Recognizer) -> list[str]:
    """What is asked for, for the audit."""
    patterns = [f"pattern {each.get('regex')}" for each in recognizer.patterns]
    patterns += [f"words {', '.join(map(str, recognizer.deny_list))}"] if recognizer.deny_list else []
    return [text[:500] for text in patterns[:20]]
