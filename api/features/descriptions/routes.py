"""The description and the tags of a dataset or a field, and what descriptions were before."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.parameters import Name, Text
from api.features.descriptions import answers
from api.features.descriptions.history import history
from api.features.descriptions.service import Descriptions, Edit
from api.guard.guards import KNOWN, Caller, needs, signed_in
from api.guard.powers import Session
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from catalog.errors import InvalidInput
from catalog.model import DatasetId
from catalog.ports import CatalogStore

router = FeatureRouter("/datasets", tags=["catalog"])

LONGEST = 20_000
_MOST_TAGS = 100


class EditBody(RequestBody):
    """What to change; what is left out stays."""

    field: Text | None = Field(None, description="Path of a field; absent: the dataset itself.")
    description: str | None = Field(None, max_length=LONGEST, description="The new one; an empty text takes it away.")
    add_tags: list[Text] = Field([], max_length=_MOST_TAGS, examples=[["sales"]])
    remove_tags: list[Text] = Field([], max_length=_MOST_TAGS)


@router.patch(
    "/{namespace}/{name}",
    dependencies=[
        needs(
            "manage",
            others="owners of the dataset, but for tags; admins and stewards of a domain, of its datasets",
            scope="describe",
            agents=True,
        )
    ],
)
def describe(
    descriptions: From[Descriptions],
    caller: Caller,
    later: Session,
    namespace: Name,
    name: Name,
    body: EditBody,
    allowUnknown: Annotated[bool, Query(description="Take tags that look like typing errors, with a warning.")] = False,
) -> answers.Description:
    """Set the description of a dataset or a field, add tags, take tags away. The rest of what is declared stays.

    The same as applying the changed document: the same rights, checks and audit.
    """
    edit = Edit(body.field, body.description, tuple(body.add_tags), tuple(body.remove_tags))
    if edit == Edit(body.field):
        raise InvalidInput("Nothing is to be changed; send description, addTags or removeTags.")
    if both := sorted(set(edit.add) & set(edit.remove)):
        raise InvalidInput(f"The tag {both[0]} is both to be added and removed; name it once.")
    dataset = DatasetId(namespace, name)
    return descriptions.edit(caller, later, dataset, edit, allow_unknown=allowUnknown)


@router.get("/{namespace}/{name}/descriptions", dependencies=[signed_in(KNOWN)])
def description_history(
    store: From[CatalogStore],
    readers: From[Readers],
    caller: Caller,
    namespace: Name,
    name: Name,
    field: Annotated[Text | None, Query(description="Only of this field.")] = None,
) -> answers.DescriptionHistory:
    """What the descriptions of a dataset and its fields were before, and who changed them when."""
    return history(store, readers.of(caller), DatasetId(namespace, name), field)
