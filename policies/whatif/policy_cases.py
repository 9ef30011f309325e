"""The file of tests of policies: what a case may contain, read from YAML. docs/reference/policies.md has the format."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import yaml
from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from catalog.errors import InvalidInput
from catalog.problem_words import plain_problem

MOST_CASES = 2000
_MOST_BYTES = 1024 * 1024
_EFFECTS = {"clear": "allow", "masked": "mask", "denied": "deny"}


def _word(value: Any) -> Any:
    return _EFFECTS.get(value, value) if isinstance(value, str) else value


Word = Annotated[Literal["allow", "mask", "deny", "gap", "refused", "derived"], BeforeValidator(_word)]


class _Spec(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel)


class Who(_Spec):
    user: str = ""
    groups: list[str] = []
    roles: list[str] = []


class Expected(_Spec):
    """What is to hold; what is not named is not looked at."""

    effect: Word | None = None
    mask: str | None = None
    filter: str | list[str] | None = None
    clear_when: str | None = None
    columns: dict[str, Word] = {}

    @model_validator(mode="after")
    def _something(self) -> Expected:
        if not self.model_fields_set:
            raise ValueError("names nothing; give effect, mask, filter, clearWhen or columns")
        return self


class Case(_Spec):
    name: str = ""
    subject: Who
    purpose: str | None = None
    dataset: str | None = None
    field: str | None = None
    sql: str | None = None
    at: AwareDatetime | None = None
    expect: Expected

    @model_validator(mode="before")
    @classmethod
    def _short(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        who, expect = data.get("subject"), data.get("expect")
        short = {**data}
        if isinstance(who, str):
            short["subject"] = {"user": who}
        if isinstance(expect, str):
            short["expect"] = {"effect": expect}
        return short

    @model_validator(mode="after")
    def _place(self) -> Case:
        if (self.sql is None) == (self.dataset is None):
            raise ValueError("needs a dataset (with a field, or without), or sql")
        if self.sql is not None and self.field is not None:
            raise ValueError("takes field with dataset only; name the columns of sql under expect.columns")
        if self.field is None and (self.expect.mask is not None or self.expect.clear_when is not None):
            raise ValueError("has mask or clearWhen without a field; give dataset and field, or name columns of sql")
        if self.field is not None and self.expect.columns:
            raise ValueError("takes expect.columns without field; name them as paths of the dataset, or columns of sql")
        return self

    @property
    def title(self) -> str:
        who = self.subject.user or ", ".join([*self.subject.groups, *self.subject.roles])
        return self.name or f"{who}: {self.sql or self.field or self.dataset}"


class Cases(_Spec):
    cases: Annotated[list[Case], Field(min_length=1, max_length=MOST_CASES)]


def read_cases(text: str) -> list[Case]:
    """Cases from YAML. Raises InvalidInput naming the case and the field."""
    if len(text.encode()) > _MOST_BYTES:
        raise InvalidInput("The tests are larger than 1 MiB; split them into several files.")
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = f" (line {line + 1})" if line is not None else ""
        raise InvalidInput(
            f"The tests are not YAML{where}; write cases: [...], see docs/reference/policies.md."
        ) from None
    try:
        return Cases.model_validate(data if isinstance(data, dict) else {"cases": data}).cases
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidInput(
            f"The tests cannot be used: {where}: {plain_problem(first)[:300]}.",
            details={
                "problems": [
                    {"field": ".".join(map(str, e["loc"])), "problem": plain_problem(e)} for e in error.errors()
                ]
            },
        ) from None
