"""`POST /impact/announcements`: notifies the owners of what a planned change affects."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from api.edge.answer import RequestBody
from api.edge.parameters import Count, Text
from api.features.lineage.announcements import LONGEST_NOTE, Announcements
from api.features.lineage.answers.announced import ImpactAnnounced
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From

router = FeatureRouter(tags=["lineage"])


class OwnersMessageBody(RequestBody):
    """A planned change, and a note to the owners of what it affects."""

    node_id: Text = Field(description="dataset:NS:NAME, datasetField:NS:NAME:FIELD or job:NS:NAME.")
    change: Literal["drop", "rename", "retype", "mask", "lose"] | None = Field(
        None, description="What is planned; owners of what it leaves alone get nothing. null: any change."
    )
    depth: Count = Field(20, le=100, description="How many hops to follow.")
    basis: Literal["last_run", "contents"] = Field("contents", description="As of the impact.")
    note: Annotated[str, StringConstraints(max_length=LONGEST_NOTE)] = Field(
        "", description="Plain text; addresses of mail and web are replaced."
    )


@router.post("/impact/announcements", dependencies=[signed_in(KNOWN, scope="describe", agents=False)])
def announce(announcements: From[Announcements], caller: Caller, body: OwnersMessageBody) -> ImpactAnnounced:
    """Notify the owners of what a planned change affects, once for each set of owners, at most ten times within an hour."""
    return announcements.send(caller, body.node_id, body.change, body.depth, body.basis, body.note)
