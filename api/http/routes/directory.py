"""`/directory`: whom a directory keeps here (SCIM), for administrators, and what they decide about a name of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field

from api.config.settings import Settings
from api.edge.answer import RequestBody
from api.edge.openapi import answers_with
from api.edge.parameters import Limit, Offset, Text
from api.guard import cookies
from api.guard.guards import Caller, needs
from api.guard.services import InstanceOf
from api.http.routes.scim import PREFIX as SCIM
from api.http.schemas.directory import DirectoryGroupsListed, DirectoryPeopleListed, DirectoryShown, ReleasedName
from catalog.errors import Conflict
from catalog.records import rfc3339
from policies.access.directory import DirectoryPeople
from policies.access.directory_list import DirectoryList

router = APIRouter(prefix="/directory", tags=["identity"])


class ReleaseAsked(RequestBody):
    """Whose name."""

    name: str = Field(min_length=1, max_length=253, examples=["eva"])


@router.get("", dependencies=[needs("manage", scope="read")], responses=answers_with(DirectoryShown))
def shown(request: Request, built: InstanceOf, _: Caller) -> Any:
    """The address that a directory calls, and how many people and groups it keeps here."""
    try:
        address = cookies.base_url(request, built[Settings].api) + SCIM
    except Conflict:
        address = None
    return {
        "address": address,
        "people": built[DirectoryList].counts(),
        "groups": built[DirectoryList].groups(1, 0)[1],
        "rules": built[DirectoryList].rules(),
    }


@router.get("/people", dependencies=[needs("manage", scope="read")], responses=answers_with(DirectoryPeopleListed))
def people(
    built: InstanceOf,
    _: Caller,
    state: Annotated[
        Literal["active", "deactivated", "removed"] | None, Query(description="Only of this state.")
    ] = None,
    text: Annotated[Text, Query(description="A part of the name, in any capitals.")] = "",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Any:
    """People whom the directory keeps, and names that it keeps out; nobody who is declared by hand alone."""
    listed, total = built[DirectoryList].people(state, text, limit, offset)
    return {
        "people": [
            {
                "name": each.name,
                "displayName": each.display,
                "state": each.state,
                "outSince": rfc3339(each.out_since),
                "groups": list(each.groups),
                "declared": each.declared,
            }
            for each in listed
        ],
        "total": total,
    }


@router.get("/groups", dependencies=[needs("manage", scope="read")], responses=answers_with(DirectoryGroupsListed))
def groups(built: InstanceOf, _: Caller, limit: Limit = 100, offset: Offset = 0) -> Any:
    """Groups of the directory, with what the rules of `kind: DirectoryRights` give their members."""
    listed, total = built[DirectoryList].groups(limit, offset)
    return {
        "groups": [
            {
                "name": each.name,
                "members": each.members,
                "givesGroups": sorted(each.gives.groups),
                "givesRoles": sorted(each.gives.roles),
            }
            for each in listed
        ],
        "total": total,
    }


@router.post("/release", dependencies=[needs("manage")], responses=answers_with(ReleasedName))
def release(built: InstanceOf, subject: Caller, body: ReleaseAsked) -> Any:
    """Take a name back from the directory, which may then create one user of it, whatever mentions the name.

    Whom the directory keeps under the name is gone there, with their sessions and tokens.
    """
    return {"name": body.name, "released": True, "mentions": built[DirectoryPeople].release(subject, body.name)}
