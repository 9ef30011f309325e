"""The spec of `kind: AccessReview`: which rights are reviewed, by whom, until when, and what happens to the others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, Field, model_validator

from policies.declared.spec_parts import DatasetPattern, Duration, Name, PeopleSpec, Spec, duration

_EVERY = ("once", "monthly", "quarterly", "yearly")
_DAYS = re.compile(r"[1-9][0-9]{0,3}d\Z")


def _every(text: str) -> str:
    if text not in _EVERY and _DAYS.match(text) is None:
        raise ValueError(f"{text!r} is not an interval; write {', '.join(_EVERY)}, or days as in 30d")
    return text


class ReviewScopeSpec(Spec):
    """Which rights are reviewed. Each list narrows; within a list one entry that fits is enough.

    datasets, tags, domains  datasets by name, by a tag of theirs or of a field (`PII`: any personal data), by domain
    roles                    roles by name, `*` for any text: their members, and grants to them
    people                   rights of these people alone
    """

    datasets: list[DatasetPattern] = Field([])
    tags: list[Name] = Field([])
    domains: list[Name] = Field([])
    roles: list[Name] = Field([])
    people: list[Name] = Field([])

    @model_validator(mode="after")
    def _something(self) -> ReviewScopeSpec:
        if not (self.datasets or self.tags or self.domains or self.roles or self.people):
            raise ValueError("names nothing; give datasets ('*' for every dataset), tags, domains, roles or people")
        return self


class ReviewersSpec(PeopleSpec):
    """Who decides. `owners`: the owners of the dataset. `fallback`: who decides where nobody else may, since the holder
    alone would; without it, those who manage."""

    owners: bool = False
    fallback: PeopleSpec | None = None

    @model_validator(mode="after")
    def _not_empty(self) -> ReviewersSpec:
        if not (self.owners or self.users or self.groups or self.roles):
            raise ValueError("names nobody; give owners: true, users, groups or roles")
        return self


class ReviewScheduleSpec(Spec):
    """When it starts by itself. `start`: the first time, later ones are counted from it; when it was declared, if absent."""

    every: Annotated[str, AfterValidator(_every)]
    start: AwareDatetime | None = None


_DUE, _REMIND = "14d", ["3d"]


class AccessReviewSpec(Spec):
    """What `kind: AccessReview` declares.

    domain       whose admins run it; its scope is wholly within the domain, and what opens more than its datasets is left out
    items        what is reviewed: grants, roles (that people hold, also by groups), owners (of datasets)
    due          how long after its start a review closes; remind: how long before that reviewers are reminded
    onNoAnswer   what becomes of a right that nobody confirmed
    unusedAfter  a right by which nothing was read for so long counts as unused; to keep it takes a reason
    """

    description: str = ""
    domain: Name | None = None
    scope: ReviewScopeSpec
    items: list[Literal["grants", "roles", "owners"]] = Field(default=["grants", "roles"], min_length=1)
    reviewers: ReviewersSpec
    schedule: ReviewScheduleSpec | None = None
    due: Duration = _DUE
    remind: list[Duration] = Field(default=_REMIND, max_length=10)
    on_no_answer: Literal["revoke", "keep"]
    unused_after: Duration = "90d"

    @model_validator(mode="after")
    def _in_time(self) -> AccessReviewSpec:
        lasts = duration(self.due)
        if not 60 <= lasts.total_seconds() <= 366 * 86_400:
            raise ValueError("due must be between one minute and 366 days")
        if duration(self.unused_after).days > 3650:
            raise ValueError("unusedAfter must be at most 3650d")
        for each in self.remind if "remind" in self.model_fields_set else ():  # who writes none may have a short review
            if duration(each) >= lasts:
                raise ValueError(f"remind: {each} is not shorter than due: {self.due}")
        return self


def reminders(terms: Mapping[str, Any]) -> list[str]:
    """How long before its end a review of these terms reminds. Without `remind`: three days, where it lasts longer."""
    if "remind" in terms:
        return [str(each) for each in terms["remind"]]
    lasts = duration(str(terms.get("due", _DUE)))
    return [each for each in _REMIND if duration(each) < lasts]
