"""Parts that the specs of several kinds share: the base of every spec, paths, tags, owners."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from catalog.errors import InvalidInput
from catalog.paths import FieldPath
from catalog.unseen import has_unseen

_LONGEST_TAG = 200
_WORD = re.compile(r"[^\s,:*\"'`\\]+\Z")


class Spec(BaseModel):
    """Base of every spec: an unknown field is an error, and `yes` is not a text."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _path(text: str) -> str:
    try:
        return str(FieldPath.parse(text))
    except InvalidInput as error:
        raise ValueError(error.message) from None


def tag_word(text: str) -> str:
    """The text, where it can be a tag. Raises ValueError: one that looks like EMAIL_ADDRESS and is not would mask nothing."""
    if not _WORD.match(text) or len(text) > _LONGEST_TAG or has_unseen(text):
        raise ValueError(
            "a tag is one word without spaces or quotes, such as EMAIL_ADDRESS or domain.sales, of at most"
            f" {_LONGEST_TAG} characters that can be seen"
        )
    return text


Path = Annotated[str, AfterValidator(_path)]
Tag = Annotated[str, AfterValidator(tag_word)]


class OwnerSpec(Spec):
    user: str | None = Field(None, min_length=1)
    group: str | None = Field(None, min_length=1)

    @model_validator(mode="after")
    def _exactly_one(self) -> OwnerSpec:
        if (self.user is None) is (self.group is None):
            raise ValueError("an owner is {user: NAME} or {group: NAME}")
        return self


class DatasetOwnerSpec(OwnerSpec):
    """`roles`: as what they answer for it. Business: what it means and who may have it; technical: what writes and keeps it."""

    roles: list[Literal["business", "technical"]] = Field(default_factory=list, max_length=2)
