"""From the claims of an identity provider to groups and roles here, by the declared rules. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from catalog.unseen import has_unseen
from policies.declared.person_names import can_be_a_name
from policies.declared.provider_specs import IdentityProviderSpec, RightsRuleSpec
from policies.matching import dataset_matches
from policies.spellings import plain

Claims = Mapping[str, tuple[str, ...]]
"""Claim -> its texts, sorted: what of all claims the rules are about."""
_MOST_VALUES = 2000


@dataclass(frozen=True, slots=True)
class Rights:
    """What a provider gives a person; nothing that is declared for them by hand is in it."""

    groups: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()


def claim_texts(claims: Mapping[str, object], name: str) -> tuple[str, ...]:
    """The texts of one claim, sorted: of a text, a list of texts; nothing else counts.

    A name with dots is a claim of that very name, else a path: `realm_access.roles`.
    """
    value: object = claims.get(name)
    if value is None and "." in name:
        value = claims
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
    values = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(sorted({each for each in values if isinstance(each, str) and each})[:_MOST_VALUES])


def of_interest(claims: Mapping[str, object], rules: Iterable[RightsRuleSpec]) -> dict[str, tuple[str, ...]]:
    """The claims that the rules are about; others of a person are not kept."""
    names = sorted({rule.claim for rule in rules})
    return {name: claim_texts(claims, name) if is_vouched(claims, name) else () for name in names}


def rights(claims: Claims, rules: Iterable[RightsRuleSpec]) -> Rights:
    """What the rules give for these claims. Without a rule that fits: nothing."""
    groups: set[str] = set()
    roles: set[str] = set()
    for rule in rules:
        for text in claims.get(rule.claim, ()):
            if not dataset_matches(rule.value, text):
                continue
            groups.update(rule.groups)
            roles.update(rule.roles)
            if rule.group_of_same_name and (name := text.removeprefix("/")) and not has_unseen(name):
                groups.add(name)
    return Rights(frozenset(groups), frozenset(roles))


def is_vouched(claims: Mapping[str, object], name: str) -> bool:
    """False for an address that the provider did not verify: at many of them people write any address themselves."""
    return name != "email" or claims.get("email_verified") is True


def user_name(claims: Mapping[str, object], spec: IdentityProviderSpec) -> str | None:
    """The name here; None when the claim is not there or cannot be a name."""
    value = claims.get(spec.user_claim) if is_vouched(claims, spec.user_claim) else None
    if not isinstance(value, str) or not can_be_a_name(value):
        return None
    name = plain(spec.user_prefix + value)
    return name if can_be_a_name(name) else None


def words(given: Rights) -> list[str]:
    """Each right as the audit names it."""
    return [*(f"group {name}" for name in sorted(given.groups)), *(f"role {name}" for name in sorted(given.roles))]


def changes(before: Rights, after: Rights) -> list[str]:
    """What was lost and what was got, as the audit names it."""
    old, new = set(words(before)), set(words(after))
    return [*(f"lost {word}" for word in sorted(old - new)), *(f"got {word}" for word in sorted(new - old))]
