"""What several declared kinds have in common: how names, durations and paths are written, matches, people."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from catalog.errors import InvalidInput
from catalog.paths import FieldPath
from catalog.unseen import has_unseen
from policies.matching import is_path

_DURATION = re.compile(r"(\d+)([smhdw])\Z")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
PERMISSIONS = frozenset({"manage", "scan", "review", "lineage:write", "audit:read", "report:read", "decide"})
"""What a role may let its holders do in Weir. None of them opens data."""


def duration(text: str) -> timedelta:
    """Read `30d`, `7d`, `2h`, `24h`, `90m`. Raises ValueError."""
    match = _DURATION.match(text)
    if match is None or int(match[1]) == 0:
        raise ValueError(f"{text!r} is not a duration; write a number and s, m, h, d or w, as in 30d or 24h")
    try:
        return timedelta(seconds=int(match[1]) * _SECONDS[match[2]])
    except OverflowError:
        raise ValueError(f"{text!r} is longer than can be counted; write at most a few hundred years") from None


def _duration(text: str) -> str:
    duration(text)
    return text


def _dataset(text: str) -> str:
    if text != "*" and not re.match(r"[^/\s]+/\S+\Z", text):
        raise ValueError(f"{text!r} is not a dataset; write CLUSTER/TOPIC, as in prod/orders or prod/clicks.*")
    return text


def _dataset_name(text: str) -> str:
    if "*" in text:
        raise ValueError(f"{text!r} is a pattern; write the name of one dataset, as in prod/orders")
    return _dataset(text)


def _path(text: str) -> str:
    try:
        FieldPath.parse(text)
    except InvalidInput as error:
        raise ValueError(error.message.rstrip(".")) from None
    return text


def _selector(text: str) -> str:
    if text != "*" and is_path(text):
        return _path(text)
    if text != "*" and re.search(r"[\[\]{}@`\s]", text):
        raise ValueError(f"{text!r} is neither a path (value.customer.email), nor a tag (EMAIL_ADDRESS), nor *")
    return text


def known_permission(text: str) -> str:
    if text not in PERMISSIONS:
        raise ValueError(f"{text!r} is not a permission; there are {', '.join(sorted(PERMISSIONS))}")
    return text


def as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _seen(text: str) -> str:
    if has_unseen(text):
        raise ValueError(f"{text[:100]!r} has a character that nobody sees; write the name without it")
    return text


Name = Annotated[str, Field(min_length=1, max_length=253), AfterValidator(_seen)]
DatasetPattern = Annotated[str, AfterValidator(_dataset)]
DatasetName = Annotated[str, AfterValidator(_dataset_name)]
PathText = Annotated[str, AfterValidator(_path)]
Selector = Annotated[str, Field(min_length=1), AfterValidator(_selector)]
Duration = Annotated[str, AfterValidator(_duration)]
Sql = Annotated[str, Field(min_length=1, max_length=10_000)]


class Spec(BaseModel):
    """Base of all specs."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, serialize_by_alias=True)


class FieldRef(Spec):
    dataset: DatasetPattern
    path: PathText


class MatchSpec(Spec):
    """What a policy or workflow is about; one entry that fits is enough."""

    tags: list[Name] = []
    fields: list[FieldRef] = []
    datasets: list[DatasetPattern] = []

    @model_validator(mode="after")
    def _not_empty(self) -> MatchSpec:
        if not (self.tags or self.fields or self.datasets):
            raise ValueError("names nothing; give tags, fields or datasets ('*' for every dataset)")
        return self


class PeopleSpec(Spec):
    """Users, groups and roles by name."""

    users: list[Name] = []
    groups: list[Name] = []
    roles: list[Name] = []


class ExceptSpec(PeopleSpec):
    """Who is excepted; a purpose counts where an active grant carries it and the query states it."""

    everyone: bool = False
    purposes: list[Name] = []


class SubjectsSpec(PeopleSpec):
    everyone: bool = False
    exempt: ExceptSpec | None = Field(default=None, alias="except")

    @model_validator(mode="after")
    def _not_empty(self) -> SubjectsSpec:
        if not (self.everyone or self.users or self.groups or self.roles):
            raise ValueError("names nobody; give users, groups or roles, or everyone: true")
        return self
