"""`/directory`: whom a directory keeps here (SCIM), for administrators, and what they decide about a name of it."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query, Request
from pydantic import Field

from api.config.settings import Settings
from api.edge.answer import RequestBody
from api.edge.parameters import Limit, Offset, Text
from api.features.directory import answers
from api.features.scim.routes import PREFIX as SCIM
from api.guard import cookies
from api.guard.guards import Caller, needs
from api.guard.router import FeatureRouter
from api.guard.services import From
from catalog.errors import Conflict
from policies.access.directory import DirectoryPeople
from policies.access.directory_list import DirectoryList

router = FeatureRouter("/directory", tags=["identity"])


class ReleaseBody(RequestBody):
    """Whose name."""

    name: str = Field(min_length=1, max_length=253, examples=["eva"])


@router.get("", dependencies=[needs("manage", scope="read")])
def shown(request: Request, directory: From[DirectoryList], settings: From[Settings]) -> answers.DirectoryShown:
    """The address that a directory calls, and how many people and groups it keeps here."""
    try:
        address = cookies.base_url(request, settings.api) + SCIM
    except Conflict:
        address = None
    return answers.DirectoryShown(
        address=address,
        people=answers.DirectoryPeopleCounts(**directory.counts()),
        groups=directory.groups(1, 0)[1],
        rules=directory.rules(),
    )


@router.get("/people", dependencies=[needs("manage", scope="read")])
def people(
    directory: From[DirectoryList],
    state: Annotated[
        Literal["active", "deactivated", "removed"] | None, Query(description="Only of this state.")
    ] = None,
    text: Annotated[Text, Query(description="A part of the name, in any capitals.")] = "",
    limit: Limit = 100,
    offset: Offset = 0,
) -> answers.DirectoryPeopleListed:
    """People whom the directory keeps, and names that it keeps out; nobody who is declared by hand alone."""
    listed, total = directory.people(state, text, limit, offset)
    return answers.DirectoryPeopleListed(people=[answers.person(each) for each in listed], total=total)


@router.get("/groups", dependencies=[needs("manage", scope="read")])
def groups(directory: From[DirectoryList], limit: Limit = 100, offset: Offset = 0) -> answers.DirectoryGroupsListed:
    """Groups of the directory, with what the rules of `kind: DirectoryRights` give their members."""
    listed, total = directory.groups(limit, offset)
    return answers.DirectoryGroupsListed(groups=[answers.group(each) for each in listed], total=total)


@router.post("/release", dependencies=[needs("manage")])
def release(people: From[DirectoryPeople], caller: Caller, body: ReleaseBody) -> answers.ReleasedName:
    """Take a name back from the directory, which may then create one user of it, whatever mentions the name.

    Whom the directory keeps under the name is gone there, with their sessions and tokens.
    """
    return answers.ReleasedName(name=body.name, released=True, mentions=people.release(caller, body.name))
