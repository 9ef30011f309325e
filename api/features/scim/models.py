"""The resources of SCIM as this service publishes and keeps them.

Of a person only what Weir uses is kept: history of what is declared is never deleted, so addresses, telephones and
departments do not belong into it. Other attributes of the standard schemas are taken and dropped; unknown ones are refused.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from scim2_models import (
    URN,
    AuthenticationScheme,
    ChangePassword,
    ComplexAttribute,
    EnterpriseUser,
    ETag,
    Filter,
    Mutability,
    Patch,
    Reference,
    Required,
    Resource,
    ScimPolicy,
    ScimProvider,
    ServiceProviderConfig,
    Sort,
    Uniqueness,
)
from scim2_models import Bulk as BulkConfig
from scim2_models import Group as StandardGroup
from scim2_models import User as StandardUser

MOST = 500
"""Resources on a page."""


class PersonName(ComplexAttribute):
    formatted: str | None = None
    family_name: str | None = None
    given_name: str | None = None


class Email(ComplexAttribute):
    value: str | None = None
    type: str | None = None
    primary: bool | None = None


class Membership(ComplexAttribute):
    value: Annotated[str | None, Mutability.read_only] = None
    display: Annotated[str | None, Mutability.read_only] = None
    type: Annotated[str | None, Mutability.read_only] = None


class User(Resource[Any]):
    """A person."""

    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:User")

    user_name: Annotated[str | None, Uniqueness.server, Required.true] = None
    name: PersonName | None = None
    display_name: str | None = None
    emails: list[Email] | None = None
    active: Annotated[bool | None, Required.true] = None
    groups: Annotated[list[Membership] | None, Mutability.read_only] = None


class Member(ComplexAttribute):
    value: Annotated[str | None, Mutability.immutable] = None
    ref: Annotated[Reference[StandardUser] | None, Mutability.immutable] = Field(  # type: ignore[type-arg]
        None, serialization_alias="$ref", validation_alias="$ref"
    )
    type: Annotated[str | None, Mutability.immutable] = Field(None, examples=["User"])


class Group(Resource[Any]):
    """A group of persons."""

    __schema__ = URN("urn:ietf:params:scim:schemas:core:2.0:Group")

    display_name: Annotated[str | None, Required.true] = None
    members: list[Member] | None = None


TakenUser: Any = StandardUser[EnterpriseUser]
"""What clients may send of a person."""
TakenGroup: Any = StandardGroup
KEPT_OF_USERS = frozenset({"externalId", "name", "displayName", "emails"})
KEPT_OF_NAMES = frozenset({"formatted", "familyName", "givenName"})
KEPT_OF_EMAILS = frozenset({"value", "type", "primary"})

POLICY = ScimPolicy(
    # As Microsoft Entra ID sends them: `remove` with a value, and a filter in a path that names an entry to be made.
    remove_value_as_filter=ScimPolicy.RemoveValue.apply,
    unmatched_path_filter=ScimPolicy.UnmatchedPathFilter.create,
)

CONFIG = ServiceProviderConfig(
    patch=Patch(supported=True),
    bulk=BulkConfig(supported=False, max_operations=0, max_payload_size=0),
    filter=Filter(supported=True, max_results=MOST),
    change_password=ChangePassword(supported=False),
    sort=Sort(supported=True),
    etag=ETag(supported=True),
    authentication_schemes=[
        AuthenticationScheme(
            type="oauthbearertoken",
            name="Token of a service account",
            description="A token with the scope scim: weir token create --user NAME --scope scim --days 180.",
            primary=True,
        )
    ],
)
PROVIDER = ScimProvider(models=[User, Group], config=CONFIG, policy=POLICY)
