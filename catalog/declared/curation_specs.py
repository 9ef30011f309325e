"""What people state about datasets beside their schema: certification, deprecation, announcements, properties, products."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from catalog.declared.spec_parts import OwnerSpec, Spec

PropertyValue = str | int | float | bool
_Text = Annotated[str, StringConstraints(max_length=2000)]


def _date(text: str) -> str:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text[:40]!r} is not a date; write it as 2026-12-31") from None
    return text


def _reference(text: str) -> str:
    cluster, slash, name = text.partition("/")
    if not (slash and cluster and name) or text != text.strip():
        raise ValueError(f"{text[:100]!r} is not a dataset; write CLUSTER/TOPIC, as prod/orders")
    return text


def moment(text: str) -> datetime:
    """A date or a time with its offset from UTC. Raises ValueError with what to write instead."""
    try:
        read = datetime.fromisoformat(text if "T" in text else f"{text}T00:00:00Z")
    except ValueError:
        read = None
    if read is None or read.tzinfo is None:
        raise ValueError(f"{text[:40]!r} is not a time; write 2026-12-31 or 2026-12-31T08:00:00Z")
    return read


def _moment(text: str) -> str:
    moment(text)
    return text


Date = Annotated[str, AfterValidator(_date)]
Moment = Annotated[str, AfterValidator(_moment)]
Reference = Annotated[str, AfterValidator(_reference)]


class CertificationSpec(Spec):
    """That people vouch for a dataset. `note`: for what; `by`: who does."""

    by: str = Field("", max_length=200)
    note: _Text = ""


class DeprecationSpec(Spec):
    """That a dataset is to be used no more. `date`: when it ends; `successor`: what to use in its place."""

    reason: _Text = ""
    successor: Reference | None = None
    date: Date | None = None


class AnnouncementSpec(Spec):
    """A sentence for the readers of a dataset, shown from `from` until `until`; a date is its first moment in UTC."""

    text: str = Field(min_length=1, max_length=2000)
    from_: Moment | None = Field(None, alias="from")
    until: Moment | None = None

    @model_validator(mode="after")
    def _in_order(self) -> AnnouncementSpec:
        if self.from_ is not None and self.until is not None and moment(self.from_) >= moment(self.until):
            raise ValueError("an announcement ends after it begins; make until later than from")
        return self


class PropertyKindSpec(Spec):
    """A property that datasets or fields may have. `values`: those that are allowed; none: all of the type."""

    description: _Text = ""
    type: Literal["text", "number", "boolean", "date"] = "text"
    values: list[PropertyValue] = Field(default_factory=list, max_length=1000)
    appliesTo: list[Literal["dataset", "field"]] = Field(
        default_factory=lambda: ["dataset", "field"],  # type: ignore[arg-type]
        min_length=1,
    )

    @model_validator(mode="after")
    def _of_type(self) -> PropertyKindSpec:
        for value in self.values:
            if not is_of(self.type, value):
                raise ValueError(f"the allowed value {value!r} is not a {self.type}; write it as one, or change type")
        return self


class DataProductSpec(Spec):
    """Datasets that are offered together. `outputs`: those of them that others are to read; `contracts`: what is promised."""

    title: str = Field("", max_length=200)
    description: str = Field("", max_length=20_000)
    owners: list[OwnerSpec] = Field(default_factory=list)
    datasets: list[Reference] = Field(min_length=1, max_length=1000)
    outputs: list[Reference] = Field(default_factory=list)
    contracts: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def _outputs_are_in_it(self) -> DataProductSpec:
        if beside := [each for each in self.outputs if each not in self.datasets]:
            raise ValueError(f"the output {beside[0]} is not among its datasets; add it to datasets")
        return self


def is_of(type_: str, value: object) -> bool:
    """Whether a value is of a property's type."""
    match type_:
        case "boolean":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "date":
            try:
                return isinstance(value, str) and bool(date.fromisoformat(value))
            except ValueError:
                return False
    return isinstance(value, str)
