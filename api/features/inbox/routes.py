"""`/inbox`: what waits for the caller."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from api.edge.parameters import Seconds
from api.features.inbox.answers import Inbox
from api.features.inbox.service import Inboxes
from api.guard.guards import Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From

Within = Annotated[
    Seconds | None, Query(description="After so long the answer has what is counted by then; at most 3.5 are waited.")
]

router = FeatureRouter("/inbox", tags=["inbox"])


@router.get("", dependencies=[signed_in("the caller's own, about what they may know of and do")])
def get_inbox(inboxes: From[Inboxes], caller: Caller, within: Within = None) -> Inbox:
    """What waits for the caller: one row a thing to do, with a count and the page that lists what is counted.

    A part that cannot be counted now is in `uncounted` with a sentence; the others are complete. With `within`, a part that
    takes longer is in `counting`: ask again without it for the whole.
    """
    return inboxes.of(caller, within)
