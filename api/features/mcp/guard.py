"""The guard of `/mcp`: a bearer token or a client certificate, and the way to one for a client that has none."""

# Annotations stay objects here, as in api/guard/guards.py.
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials

from api.config.settings import Settings
from api.guard.access import NO_SCOPE, Access
from api.guard.cookies import base_url
from api.guard.credentials import bearer, credential_of, subject_of
from api.guard.guards import KNOWN, Guard
from api.guard.services import InstanceOf
from catalog.errors import Conflict, NotAllowed, NotSignedIn
from policies.model import Subject

PATH = "/mcp"
METADATA = "/.well-known/oauth-protected-resource"


def resource(request: Request) -> str:
    """The address of the server for agents, as the client knows it."""
    return f"{_base(request)}{PATH}"


class AgentGuard(Guard):
    """Lets in whom the API lets in, but by no cookie: a page of another site could send one."""

    def __call__(  # type: ignore[override]  # FastAPI reads what is needed from the signature
        self,
        request: Request,
        built: InstanceOf,
        credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
    ) -> Subject:
        """Raises NotSignedIn (401), whose answer names where to sign in (RFC 9728); NotAllowed (403), LimitExceeded (429)."""
        _refuse_other_pages(request)
        bare = Request(
            {**request.scope, "headers": [each for each in request.scope["headers"] if each[0] != b"cookie"]}
        )
        try:
            subject = subject_of(built, credential_of(bare, built, credentials))
        except NotSignedIn as error:
            where = {"resourceMetadata": f"{_base(request)}{METADATA}{PATH}"}
            raise NotSignedIn(error.message, details={**error.details, **where}) from None
        return self.admit(request, built, subject)


AGENT: Any = Depends(AgentGuard(Access(limits=KNOWN, scope=NO_SCOPE)))


def _refuse_other_pages(request: Request) -> None:
    """Raises NotAllowed for a request that a page of another address had a browser send, one behind a forged name too."""
    origin = request.headers.get("origin")
    if origin is None:
        return
    try:
        own = base_url(request, request.app.state.instance[Settings].api)
    except Conflict:
        own = ""
    if origin.lower() != own.lower():
        raise NotAllowed(
            "A page of another address sent this request; only programs and pages of this Weir may.",
            details={"reasons": ["origin"]},
        )


def _base(request: Request) -> str:
    settings = request.app.state.instance[Settings].api
    if settings.public_url:
        return str(settings.public_url).rstrip("/")
    return f"{'https' if settings.secure else 'http'}://{request.headers.get('host', '')}"
