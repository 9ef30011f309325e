"""Who sends lineage events: checked once a second per credential, for jobs send hundreds of events in that time."""

# Annotations stay objects here, as in guards.py.
from typing import Annotated

from cachetools import TTLCache
from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.security import HTTPAuthorizationCredentials

from api.config.http_settings import AUTHENTICATED
from api.guard.access import Access
from api.guard.credentials import Credential, bearer, client_certificate, credential_of, subject_of
from api.guard.guards import Guard

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


class SenderGuard(Guard):
    """The guard of routes that take events: who sends them counts for a second, see `Senders`."""

    async def __call__(  # type: ignore[override]  # FastAPI reads what is needed from the signature
        self, request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
    ) -> None:
        """Raises NotSignedIn (401), NotAllowed (403), LimitExceeded (429)."""
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
            whole = credential_of(request, state.instance, credentials)
            self.admit(request, state.instance, subject_of(state.instance, whole))

        await run_in_threadpool(check)
        if credentials is not None:
            senders.trust(given)


EVENT_SENDER = Depends(SenderGuard(Access(frozenset({PERMISSION}))))
"""The guard of a sender: it needs `lineage:write`."""
