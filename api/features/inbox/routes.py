"""`/inbox`: what waits for the caller."""

from __future__ import annotations

from api.features.inbox.answers import Inbox
from api.features.inbox.service import Inboxes
from api.guard.guards import Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From

router = FeatureRouter("/inbox", tags=["inbox"])


@router.get("", dependencies=[signed_in("the caller's own, about what they may know of and do")])
def get_inbox(inboxes: From[Inboxes], caller: Caller) -> Inbox:
    """What waits for the caller: one row a thing to do, with a count and the page that lists what is counted.

    A part that cannot be counted now is in `uncounted` with a sentence; the others are complete.
    """
    return inboxes.of(caller)
