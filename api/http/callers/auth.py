"""Who calls: a bearer token to a subject, and what that subject may do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from api.wiring.services import Services
from catalog.errors import NotAllowed, NotSignedIn
from policies.model import Subject

bearer = HTTPBearer(auto_error=False, description="A token from `weir token create --user NAME`.")


def services(request: Request) -> Services:
    """The services of this application, built once at its start."""
    built: Services = request.app.state.services
    return built


ServicesOf = Annotated[Services, Depends(services)]


def caller(
    request: Request,
    built: ServicesOf,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
) -> Subject:
    """The subject of the request's bearer token. Raises NotSignedIn (401)."""
    if len(request.headers.getlist("authorization")) > 1:
        raise NotSignedIn("This request has more than one Authorization header; send one.")
    if credentials is None:
        given = request.headers.get("authorization")
        problem = "has an Authorization header that is not a bearer token" if given else "has no token"
        raise NotSignedIn(f"This request {problem}; send 'Authorization: Bearer TOKEN'.")
    return built.identity.authenticate(credentials.credentials)


Caller = Annotated[Subject, Depends(caller)]


def session(
    built: ServicesOf, _: Caller, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
) -> Callable[[], Subject]:
    """Gives the caller as they are later on, while the request's work goes on; see `Identity.session`."""
    assert credentials is not None  # or there is no caller
    return built.identity.session(credentials.credentials)


def permitted(permission: str) -> Callable[[Subject, Services], Subject]:
    """A dependency that lets only subjects with one permission pass (403 otherwise)."""

    def check(subject: Caller, built: ServicesOf) -> Subject:
        require(built, subject, permission)
        return subject

    return check


def require(built: Services, subject: Subject, permission: str) -> None:
    """Raise NotAllowed (403) unless the subject holds the permission."""
    if permission not in built.identity.permissions(subject):
        raise NotAllowed(
            f"{subject.user} lacks the permission {permission!r}; ask an administrator for a role that carries it.",
            details={"permission": permission, "reasons": [f"no role of {subject.user} carries {permission}"]},
        )


Session = Annotated[Callable[[], Subject], Depends(session)]
Manager = Annotated[Subject, Depends(permitted("manage"))]
ScanOperator = Annotated[Subject, Depends(permitted("scan"))]
Reviewer = Annotated[Subject, Depends(permitted("review"))]
Producer = Annotated[Subject, Depends(permitted("lineage:write"))]
Auditor = Annotated[Subject, Depends(permitted("audit:read"))]
Reporter = Annotated[Subject, Depends(permitted("report:read"))]
