"""The guard of SCIM's routes: only the service account that keeps the directory of people and groups."""

# Annotations stay objects here, as in guards.py.
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials

from api.config.http_settings import AUTHENTICATED
from api.guard.access import Access
from api.guard.credentials import bearer, credential_of, subject_of
from api.guard.guards import SUBJECT, Guard
from api.guard.services import InstanceOf
from catalog.errors import NotAllowed, NotSignedIn
from policies.access.identity import Identity
from policies.declared.service_specs import SCIM


class DirectoryGuard(Guard):
    """Lets in the service account that keeps the directory. Raises NotSignedIn, NotAllowed for every other token."""

    def __call__(  # type: ignore[override]  # FastAPI reads what is needed from the signature
        self,
        request: Request,
        built: InstanceOf,
        credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)],
    ) -> None:
        given = credential_of(request, built, credentials)
        if given.cookie:
            raise NotSignedIn("SCIM takes a token of a service account; send 'Authorization: Bearer TOKEN'.")
        subject = subject_of(built, given)
        setattr(request.state, AUTHENTICATED, True)
        if subject.scopes != frozenset({SCIM}) or subject.user not in built[Identity].service_accounts():
            raise NotAllowed(
                "SCIM takes a token of a service account with the scope scim; make one with weir token create --user NAME"
                " --scope scim --days 180.",
                details={"reasons": ["scope"]},
            )
        setattr(request.state, SUBJECT, subject)


DIRECTORY = Depends(DirectoryGuard(Access(frozenset(), directory=True)))
"""A service account's token with the scope `scim`."""
FIXED = Depends(DirectoryGuard(Access(frozenset(), directory=True), listed=False))
"""As `DIRECTORY`, for addresses where nothing can be changed."""
