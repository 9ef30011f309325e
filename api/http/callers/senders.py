"""Who sends lineage events: checked once a second per credential, for jobs send hundreds of events in that time."""

from __future__ import annotations

from typing import Annotated

from cachetools import TTLCache
from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPAuthorizationCredentials

from api.config.http_settings import AUTHENTICATED
from api.http.callers.auth import Credential, bearer, caller, client_certificate, credential_of, require

PERMISSION = "lineage:write"

_TRUSTED_S = 1.0
"""How long a token or certificate that was good may still send events after it was revoked. For nothing but events."""

_KEPT = 1000


class Senders:
    """Credentials that were good a moment ago, by digest."""

    def __init__(self, trusted_s: float = _TRUSTED_S) -> None:
        self._good: TTLCache[bytes, bool] = TTLCache(_KEPT, trusted_s)

    def trusted(self, given: Credential) -> bool:
        return given.digest in self._good

    def trust(self, given: Credential) -> None:
        self._good[given.digest] = True


async def sender(
    request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
) -> None:
    """Raises NotSignedIn (401), NotAllowed (403)."""
    state = request.app.state
    if not hasattr(state, "senders"):
        state.senders = Senders()
    senders: Senders = state.senders
    given = Credential(
        credentials.credentials if credentials is not None else "", certificate=client_certificate(request)
    )
    if credentials is not None and senders.trusted(given):
        setattr(request.state, AUTHENTICATED, True)
        return

    def check() -> None:
        whole = credential_of(request, state.services, credentials)
        require(state.services, caller(request, state.services, whole), PERMISSION)

    await run_in_threadpool(check)
    if credentials is not None:
        senders.trust(given)


Sender = Annotated[None, Depends(sender)]
