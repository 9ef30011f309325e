"""The spec of `kind: Purpose`, and whether purposes fit together."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from catalog.errors import InvalidInput
from policies.declared.spec_parts import Duration, Name, Spec
from policies.purposes import Fit, Purpose, Purposes

LegalBasis = Literal[
    "consent", "contract", "legal-obligation", "vital-interests", "public-task", "legitimate-interests"
]
"""The six of GDPR, Article 6 (1), a to f."""


class PurposeSpec(Spec):
    """What data is used for. `legalBasis` and `retention` hold for the purposes below it that give none of their own.

    retention  how long data may be kept for it, as in 90d; shown, not enforced
    owner      who answers for it: a user or a group, in words
    """

    parent: Name | None = None
    title: str = Field("", max_length=200)
    description: str = Field("", max_length=5000)
    legal_basis: LegalBasis | None = None
    retention: Duration | None = None
    owner: str = Field("", max_length=253)
    deprecated: bool = False


def purpose(name: str, spec: PurposeSpec) -> Purpose:
    """What decisions and lists work on."""
    return Purpose(
        name=name,
        parent=spec.parent,
        title=spec.title,
        description=spec.description,
        legal_basis=spec.legal_basis,
        retention=spec.retention,
        owner=spec.owner or None,
        deprecated=spec.deprecated,
    )


def draft(name: str, spec: Any) -> Purpose:
    """A purpose with its place in the tree alone, of a spec that may not be a good one."""
    parent = _in(spec, "parent")
    return Purpose(name, parent if isinstance(parent, str) else None)


def check_name(name: str) -> None:
    """Raises InvalidInput for a name that could not be distinguished from another, or be typed."""
    plain = name == name.strip() and name == unicodedata.normalize("NFC", name) and name.isprintable()
    if not plain or not 1 <= len(name) <= 253:
        raise InvalidInput(
            f"Purpose {name[:100]!r}: metadata.name has 1 to 253 printable characters in composed letters (NFC), and no blank at"
            " an end.",
            details={"field": "metadata.name"},
        )


def check_fits(name: str, fit: Fit) -> None:
    """Raises InvalidInput for a purpose whose parent is not there, that is in a circle, or is too like another."""
    wrong = fit.problem(name)
    if wrong is not None:
        raise InvalidInput(
            f"Purpose {name} {wrong}.", details={"kind": "Purpose", "name": name, "field": "spec.parent"}
        )


class ProposedPurposes:
    """Declared purposes, and those that are to be declared with them. Made once for all documents of an apply.

    given: specs that were not looked at, by name
    """

    def __init__(self, declared: Purposes, given: Mapping[str, Any]) -> None:
        self.given = given
        self.by_name: Mapping[str, Purpose] = (
            {**declared.by_name, **{name: draft(name, spec) for name, spec in given.items()}}
            if given
            else declared.by_name
        )

    @cached_property
    def fit(self) -> Fit:
        """Whether they fit in with one another."""
        return Fit(self.by_name)

    def unknown(self, name: str) -> str:
        """The sentence that refuses a purpose that is none of these."""
        return Purposes(self.by_name.values()).unknown(name)


def named_in(kind: str, spec: Any) -> frozenset[str]:
    """Every purpose that a Policy, Grant, AccessRequest or View names."""
    match kind:
        case "Grant" | "AccessRequest":
            return _texts(_in(spec, "purpose"))
        case "View":
            return _texts(_in(spec, "runAs", "purpose"))
        case "Policy":
            required = _in(spec, "requires", "purpose")
            excepted = (_in(spec, "except", "purposes"), _in(spec, "subjects", "except", "purposes"))
            return _texts(required) | _texts(excepted[0]) | _texts(excepted[1])
        case _:
            return frozenset()


def _in(spec: Any, *names: str) -> Any:
    for name in names:
        spec = spec.get(name) if isinstance(spec, Mapping) else None
    return spec


def _texts(value: Any) -> frozenset[str]:
    values = value if isinstance(value, list | tuple) else [value]
    return frozenset(each for each in values if isinstance(each, str))
