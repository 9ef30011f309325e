"""The spec of `kind: IdentityProvider`: an OpenID Connect issuer that signs people in, and what its claims give here."""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from catalog.declared.loopback import is_loopback
from catalog.declared.server_specs import Secret
from policies.declared.spec_parts import Name, Spec

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,62}\Z")
_SCOPE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+\Z")


def check_provider_name(name: str) -> str:
    """The name of a provider, which is a part of its addresses. Raises ValueError."""
    if not _NAME.match(name):
        raise ValueError("must be small letters, digits and hyphens, since it is a part of addresses, as in company")
    return name


def _issuer(text: str) -> str:
    parts = urlsplit(text)
    if parts.query or parts.fragment or parts.username or not parts.hostname:
        raise ValueError(f"{text!r} is not an issuer; write its address without a query, as in https://id.example.com")
    if parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname)):
        return text
    raise ValueError("must begin with https://, since people's tokens go there; http is for this machine itself only")


def _scope(text: str) -> str:
    if not _SCOPE.match(text):
        raise ValueError(f"{text!r} is not a scope; write one word, as in email")
    return text


class RightsRuleSpec(Spec):
    """What one value of a claim gives. `value` is exact, but `*` means any text.

    groups, roles        names here
    group_of_same_name   who has the value is in the group of that name here; a `/` before it is left out
    """

    claim: Name
    value: Name
    groups: list[Name] = Field([])
    roles: list[Name] = Field([])
    group_of_same_name: bool = False

    @model_validator(mode="after")
    def _gives_something(self) -> RightsRuleSpec:
        if not (self.groups or self.roles or self.group_of_same_name):
            raise ValueError("gives nothing; name groups or roles, or set groupOfSameName: true")
        if "*" in self.value and self.roles and self.value.strip("*") == "":
            raise ValueError("would give roles to everybody who signs in; name the value that means the role")
        return self


class IdentityProviderSpec(Spec):
    """client_secret is absent for a public client; `ca`: file of the authorities behind the issuer's certificate.

    user_claim   names the user here; user_prefix is put before it, so that two providers' names do not meet
    rights       what values of claims give; without a rule a person has nothing but what is declared for them
    """

    issuer: Annotated[str, AfterValidator(_issuer)]
    client_id: Name
    client_secret: Secret | None = None
    title: str = Field("", max_length=80)
    scopes: list[Annotated[str, AfterValidator(_scope)]] = Field(["openid", "profile", "email"])
    ca: str | None = None
    user_claim: Name = "preferred_username"
    user_prefix: str = Field("", max_length=40, pattern=r"^[^\s/]*$")
    rights: list[RightsRuleSpec] = Field([])

    @model_validator(mode="after")
    def _asks_for_openid(self) -> IdentityProviderSpec:
        if "openid" not in self.scopes:
            raise ValueError("scopes must contain openid, or the provider signs nobody in")
        return self
