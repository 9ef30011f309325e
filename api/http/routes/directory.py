"""`/directory`: what an administrator decides about people whom a directory keeps here (SCIM)."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from api.http.callers.auth import Manager, ServicesOf
from api.http.edge.openapi import answers_with
from api.http.schemas.directory import ReleasedName

router = APIRouter(prefix="/directory", tags=["identity"])


class ReleaseAsked(BaseModel):
    """Whose name."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=253, examples=["eva"])


@router.post("/release", responses=answers_with(ReleasedName))
def release(built: ServicesOf, subject: Manager, body: ReleaseAsked) -> Any:
    """Take a name back from the directory, which may then create one user of it, whatever mentions the name.

    Whom the directory keeps under the name is gone there, with their sessions and tokens.
    """
    return {"name": body.name, "released": True, "mentions": built.directory.release(subject, body.name)}
