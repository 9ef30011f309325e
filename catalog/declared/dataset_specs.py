"""The declared kind of a dataset; names are the file's (camelCase), not Python's."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from catalog.datatypes import parse_ddl, parse_type
from catalog.declared.curation_specs import AnnouncementSpec, CertificationSpec, DeprecationSpec, PropertyValue
from catalog.declared.scan_specs import ScanSpec
from catalog.declared.spec_parts import DatasetOwnerSpec, Path, Spec, Tag
from catalog.errors import InvalidInput


class FormatSpec(Spec):
    key: str | None = None
    value: str | None = None


class SchemaSpec(Spec):
    """What queries then see: the value's columns as Spark DDL, and the key's type."""

    spark: str | None = None
    key: str | None = None

    @field_validator("spark", "key")
    @classmethod
    def _ddl(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None:
            return None
        try:
            parse_type(value) if info.field_name == "key" else parse_ddl(value)
        except InvalidInput as error:
            raise ValueError(error.message) from None
        return value

    @model_validator(mode="after")
    def _something(self) -> SchemaSpec:
        if self.spark is None and self.key is None:
            raise ValueError("a schema needs spark (the columns of the value), key (the type of the key), or both")
        return self


class FieldSpec(Spec):
    """A field. A tag here is a confirmed classification."""

    path: Path
    description: str = ""
    tags: list[Tag] = Field(default_factory=list)
    terms: list[str] = Field(default_factory=list)
    properties: dict[str, PropertyValue] = Field(default_factory=dict)


class QualitySpec(Spec):
    sensitivity: Literal["off", "low", "normal", "high"] = Field(
        "normal",
        description="How far a series of quality must leave its usual range to be an anomaly; off: none is one.",
    )


class DatasetSpec(Spec):
    description: str = ""
    owners: list[DatasetOwnerSpec] = Field(default_factory=list)
    tags: list[Tag] = Field(default_factory=list)
    terms: list[str] = Field(default_factory=list)
    format: FormatSpec | None = None
    columns: SchemaSpec | None = Field(None, alias="schema")
    scan: ScanSpec | None = None
    quality: QualitySpec | None = None
    certification: CertificationSpec | None = None
    deprecation: DeprecationSpec | None = None
    announcements: list[AnnouncementSpec] = Field(default_factory=list, max_length=20)
    properties: dict[str, PropertyValue] = Field(default_factory=dict)
    fields_: list[FieldSpec] = Field(default_factory=list, alias="fields")

    @field_validator("fields_")
    @classmethod
    def _once(cls, value: list[FieldSpec]) -> list[FieldSpec]:
        seen: set[str] = set()
        for field in value:
            if field.path in seen:
                raise ValueError(f"field {field.path} is described twice")
            seen.add(field.path)
        return value
