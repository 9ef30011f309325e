"""The one statement of who may call a route, made where the route is declared:

    @router.post("/scans", dependencies=[needs("scan", others="stewards of a domain, topics of its datasets")])

It checks who calls, the scope of the token and the permission, before anything else of the request is read. The routes take the
caller by `Caller`. docs/reference/who-may-call.md, the scopes of limited tokens and the role matrix of the tests are read from
the same statement; an application with a route that lacks one does not start.
"""

# Annotations stay objects here: FastAPI does not resolve those of a callable object when they are texts.
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from api.config.http_settings import AUTHENTICATED
from api.guard.access import DECIDED, KNOWN, NO_SCOPE, Access, Entry, require_open_to_agents, require_scope
from api.guard.calls import with_tool
from api.guard.credentials import Credential, credential, is_use, subject_of
from api.guard.services import InstanceOf
from api.wiring.instance import Instance
from policies.access.identity import Identity
from policies.audit import acting
from policies.model import Subject

__all__ = [
    "DECIDED",
    "KNOWN",
    "OWNERS",
    "SUBJECT",
    "Caller",
    "Guard",
    "access_list",
    "case",
    "everybody",
    "guard_of",
    "needs",
]
__all__ += ["own_session", "routes_of", "signed_in"]

SUBJECT = "subject"
"""Where a guard leaves the caller in the state of the request."""
OWNERS = "owners of the dataset"


class Guard:
    """Checks the caller of a route.

    `cases`: what of it has an access of its own, as `?all=true`. `listed`: whether the list of routes has it.
    """

    def __init__(self, access: Access, cases: Mapping[str, Access] | None = None, listed: bool = True) -> None:
        self.access, self.cases, self.listed = access, dict(cases or {}), listed

    def __call__(
        self, request: Request, built: InstanceOf, given: Annotated[Credential, Depends(credential)]
    ) -> Subject:
        """Raises NotSignedIn (401), NotAllowed (403), LimitExceeded (429) for a person who asks too often."""
        return self.admit(request, built, subject_of(built, given, use=is_use(request)))

    def admit(self, request: Request, built: Instance, subject: Subject) -> Subject:
        """What holds on every route for a subject who is known."""
        setattr(request.state, AUTHENTICATED, True)
        subject = with_tool(request, subject)
        acting.known(subject)
        request.app.state.person_rates.require(subject.user, request.method, request.scope["path"])
        require_open_to_agents(subject, self.access)
        require_scope(subject, self.access.scope_for(request.method))
        if self.access.permissions is not None and not self.access.others:
            _require_one(built[Identity], subject, self.access.permissions)
        setattr(request.state, SUBJECT, subject)
        return subject


def _require_one(identity: Identity, subject: Subject, permissions: frozenset[str]) -> None:
    if not permissions & identity.permissions(subject):
        identity.require(subject, sorted(permissions)[0])


class OpenRoute(Guard):
    """A route that everybody may call without signing in."""

    def __call__(self) -> None:  # type: ignore[override]  # FastAPI reads from the signature that nothing is needed
        return None


class SessionRoute(Guard):
    """A route about the session that comes with the request. Anybody with a session may call; the route decides of which kind."""

    def __call__(self, given: Annotated[Credential, Depends(credential)]) -> None:  # type: ignore[override]
        """Raises NotSignedIn (401), NotAllowed (403)."""


async def _subject(request: Request) -> Subject:
    """The caller, whom the guard of the route has let in."""
    subject: Subject = getattr(request.state, SUBJECT)
    return subject


Caller = Annotated[Subject, Depends(_subject)]


def needs(
    *permissions: str,
    others: str = "",
    unseen: bool = False,
    limits: str = "",
    scope: str | None = None,
    cases: Mapping[str, Access] | None = None,
    agents: bool | None = None,
) -> Any:
    """The guard of a route that needs one of these permissions; see `Access`. Where `others` may call too, the route decides
    on them with the service behind it, and the guard checks the caller and the scope alone."""
    access = Access(frozenset(permissions), others=others, unseen=unseen, limits=limits, scope=scope, agents=agents)
    return Depends(Guard(access, cases))


def case(*permissions: str, others: str = "") -> Access:
    """Who may call one case of a route: a query such as `?all=true`, or what a body names."""
    return Access(frozenset(permissions), others=others)


def signed_in(
    limits: str = "",
    scope: str | None = None,
    cases: Mapping[str, Access] | None = None,
    agents: bool | None = None,
) -> Any:
    """The guard of a route for everybody who is signed in; `limits`: what of the answer depends on them."""
    return Depends(Guard(Access(limits=limits, scope=scope, agents=agents), cases))


def own_session(limits: str) -> Any:
    """The guard of a route that only ends or shows the session it is called with."""
    return Depends(SessionRoute(Access(limits=limits, scope=NO_SCOPE)))


def everybody(limits: str = "", listed: bool = True) -> Any:
    """The statement of a route that needs no token."""
    return Depends(OpenRoute(Access(signed_in=False, limits=limits), listed=listed))


def guard_of(route: APIRoute) -> Guard:
    """The guard of a route. Raises LookupError where it has none."""
    for each in route.dependant.dependencies:
        if isinstance(each.call, Guard):
            return each.call
    raise LookupError(f"{'/'.join(sorted(route.methods or ()))} {route.path} does not state who may call it")


def routes_of(routes: Iterable[BaseRoute], prefix: str = "") -> Iterator[tuple[str, APIRoute]]:
    """Every API route with its whole path, those of included routers too."""
    for route in routes:
        if isinstance(route, APIRoute):
            yield prefix + route.path, route
        elif (inner := getattr(route, "original_router", None)) is not None:
            yield from routes_of(inner.routes, prefix + getattr(route, "include_context").prefix)  # noqa: B009


def access_list(routes: Iterable[BaseRoute]) -> dict[Entry, Access]:
    """Who may call each route, and each case of a route that needs more; addresses that end with a slash are left out.

    Raises LookupError for a route that does not state it.
    """
    listed: dict[Entry, Access] = {}
    for path, route in routes_of(routes):
        guard = guard_of(route)
        if not guard.listed or path.endswith("/"):
            continue
        for method in sorted(route.methods or ()):
            listed[Entry(method, path)] = guard.access
            for part, access in guard.cases.items():
                listed[Entry(method, path, part)] = replace(access, scope=guard.access.scope_for(method))
    return listed
