"""Who sends lineage events: checked once a second per token, for jobs send hundreds of events in that time."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from typing import Annotated

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPAuthorizationCredentials

from api.http.callers.auth import bearer, caller, require

PERMISSION = "lineage:write"

_TRUSTED_S = 1.0
"""How long a token that was good may go on sending events after it was revoked. For nothing but events."""

_KEPT = 1000


class Senders:
    """Tokens that were good a moment ago, by digest: the token itself is kept nowhere."""

    def __init__(self) -> None:
        self._until: OrderedDict[bytes, float] = OrderedDict()

    def trusted(self, token: str) -> bool:
        return self._until.get(_digest(token), 0.0) > time.monotonic()

    def trust(self, token: str) -> None:
        self._until[_digest(token)] = time.monotonic() + _TRUSTED_S
        while len(self._until) > _KEPT:
            self._until.popitem(last=False)


async def sender(
    request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
) -> None:
    """Raises NotSignedIn (401), NotAllowed (403)."""
    state = request.app.state
    if not hasattr(state, "senders"):
        state.senders = Senders()
    senders: Senders = state.senders
    if credentials is not None and senders.trusted(credentials.credentials):
        return

    def check() -> None:
        require(state.services, caller(request, state.services, credentials), PERMISSION)

    await run_in_threadpool(check)
    if credentials is not None:
        senders.trust(credentials.credentials)


Sender = Annotated[None, Depends(sender)]


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()
