"""The id by which Weirs that share a cluster know one another."""

from __future__ import annotations

import contextlib
import uuid

from catalog.errors import Conflict
from policies.ports import Change, Clock, PolicyStore

KIND = "Installation"
_NAME = "rights"


def installation_id(store: PolicyStore, clock: Clock) -> str:
    """The id of this Weir, which its record store keeps from the first question on. Raises Unavailable."""
    present = store.get(KIND, _NAME)
    if present is None:
        with contextlib.suppress(Conflict):  # another process was first
            store.apply([Change(KIND, _NAME, {"id": uuid.uuid4().hex[:16]}, expect=0)], clock())
        present = store.get(KIND, _NAME)
    assert present is not None and present.spec is not None
    return str(present.spec["id"])
