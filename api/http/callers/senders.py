"""Who sends lineage events: checked once a second per token, for jobs send hundreds of events in that time."""

from __future__ import annotations

import hashlib
from typing import Annotated

from cachetools import TTLCache
from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPAuthorizationCredentials

from api.config.settings import AUTHENTICATED
from api.http.callers.auth import bearer, caller, credential_of, require

PERMISSION = "lineage:write"

_TRUSTED_S = 1.0
"""How long a token that was good may go on sending events after it was revoked. For nothing but events."""

_KEPT = 1000


class Senders:
    """Tokens that were good a moment ago, by digest: the token itself is kept nowhere."""

    def __init__(self, trusted_s: float = _TRUSTED_S) -> None:
        self._good: TTLCache[bytes, bool] = TTLCache(_KEPT, trusted_s)

    def trusted(self, token: str) -> bool:
        return _digest(token) in self._good

    def trust(self, token: str) -> None:
        self._good[_digest(token)] = True


async def sender(
    request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
) -> None:
    """Raises NotSignedIn (401), NotAllowed (403)."""
    state = request.app.state
    if not hasattr(state, "senders"):
        state.senders = Senders()
    senders: Senders = state.senders
    if credentials is not None and senders.trusted(credentials.credentials):
        setattr(request.state, AUTHENTICATED, True)
        return

    def check() -> None:
        given = credential_of(request, state.services, credentials)
        require(state.services, caller(request, state.services, given), PERMISSION)

    await run_in_threadpool(check)
    if credentials is not None:
        senders.trust(credentials.credentials)


Sender = Annotated[None, Depends(sender)]


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()
