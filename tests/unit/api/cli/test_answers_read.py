"""Commands read only keys that the API gives, and expect null, a missing key or a type where the API may give it."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from types import NoneType, UnionType
from typing import Annotated, Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest
from pydantic import BaseModel

_PLAIN = {str, int, float, bool}


def members(annotation: Any) -> set[Any]:
    """The types of a union, without what describes them."""
    if get_origin(annotation) in (Annotated, NotRequired):
        return members(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return set().union(*map(members, get_args(annotation)))
    return {annotation}


def differences(read: Any, given: Any, at: str) -> Iterator[str]:
    """Where a type that is read promises more than the type that is given."""
    wanted, offered = members(read), members(given)
    if object in wanted:
        return
    if NoneType in offered - wanted:
        yield f"{at} may be null"
    if wanted & _PLAIN and offered & _PLAIN and not offered & _PLAIN <= wanted | ({int} if float in wanted else set()):
        yield f"{at} is {offered}"
    for each in wanted:
        for other in offered:
            if is_typeddict(each) and isinstance(other, type) and issubclass(other, BaseModel):
                yield from missing(each, other, at)
            elif get_origin(each) is list and get_origin(other) is list:
                yield from differences(get_args(each)[0], get_args(other)[0], f"{at}[]")


def missing(read: Any, model: type[BaseModel], at: str) -> Iterator[str]:
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    for key, hint in get_type_hints(read, include_extras=True).items():
        if key not in fields:
            yield f"{at}.{key} is not in {model.__name__}"
            continue
        if not fields[key].is_required() and get_origin(hint) is not NotRequired and read.__total__:
            yield f"{at}.{key} may be missing"
        yield from differences(hint, fields[key].annotation, f"{at}.{key}")


def named(text: str) -> Any:
    module, _, name = text.partition(":")
    return getattr(import_module(f"api.{module}"), name)


@pytest.mark.parametrize(
    ("read", "given"),
    [
        ("features.access_requests.commands:_Course", "features.access_requests.answers:AccessRequest"),
        ("features.access_reviews.commands:_Evidence", "features.access_reviews.answers:ReviewEvidence"),
        ("features.agents.commands:_Agent", "features.agents.answers:Agent"),
        ("features.audit.commands:_Shipping", "features.audit.answers:AuditShipped"),
        ("features.contracts.commands:_Contract", "features.contracts.answers:Contract"),
        ("features.datasets.commands:SchemaChange", "features.datasets.schema_answers:SchemaChange"),
        ("features.declared.commands:_Change", "features.declared.answers:AppliedChange"),
        ("features.detections.commands:_Reviewed", "features.detections.answers:ReviewOutcomes"),
        ("features.detections.commands:_TriedField", "features.detections.trial_answers:TrialField"),
        ("features.events.commands:_Event", "features.events.answers:Event"),
        ("features.incidents.commands:_Incident", "features.incidents.answers:IncidentDetails"),
        ("features.lineage.commands:_Edge", "features.lineage.answers.graph:LineageEdge"),
        ("features.lineage.shown_impact:Impact", "features.lineage.answers.impact:Impact"),
        ("features.quality.commands:_Series", "features.quality.answers:QualitySeries"),
        ("features.queries.commands:_Answer", "features.queries.answers:QueryAnswer"),
        ("features.queries.commands:_Notes", "features.queries.answers:EndedQuery"),
        ("features.questions.commands:_Question", "features.questions.answers:DatasetQuestion"),
        ("features.records.browsing:_Page", "features.records.answers:Records"),
        ("features.rights.consumer_commands:_Right", "features.rights.consumer_answers:ConsumerRight"),
        ("features.saved_queries.commands:_Query", "features.saved_queries.answers:SavedQuery"),
        ("features.scans.commands:Scan", "features.scans.answers:Scan"),
        ("features.sign_in.commands:_Begun", "features.sessions.answers:DeviceCode"),
        ("terminal.schema_table:_Schema", "features.datasets.schema_answers:Schema"),
    ],
)
def test_a_command_reads_what_the_api_gives(read: str, given: str) -> None:
    assert list(missing(named(read), named(given), "answer")) == []
