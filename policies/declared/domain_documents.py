"""Which declared documents admins and stewards of a domain may write. Pure: specs in, the reason of a refusal out.

A policy or visibility of a domain names datasets by patterns wholly within it. Tags, owners and other domains may fit
datasets elsewhere, now or later, so they are refused. `None` is always: allowed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.entities import tag_matches
from policies.decision.domains import Domain, Power
from policies.decision.visibility import expanded
from policies.declared.domain_specs import OWN_KINDS
from policies.matching import EVERYTHING, dataset_matches, is_path
from policies.model import Grant, GrantStatus, Role
from policies.spellings import same_person

Spec = Mapping[str, Any]
CURATED = frozenset({"description", "terms", "certification", "deprecation", "announcements", "properties"})
_CURATED_OF_FIELDS = frozenset({"description", "terms", "properties"})
_EDITED = CURATED | {"owners", "tags", "fields"}
"""What admins and stewards change of a Dataset document; the rest is what queries see and when scans run."""


def outside(domain: Domain, kind: str, name: str, spec: Spec) -> str | None:
    """Why a document is not wholly within a domain, in a sentence."""
    if kind not in OWN_KINDS:
        return f"kind {kind} cannot belong to a domain; only {' and '.join(sorted(OWN_KINDS))} can."
    if not name.startswith(f"{domain.name}."):
        return f"its name must begin with that of its domain: {domain.name}.{name}."
    match = _mapping(spec.get("match"))
    for selector, value in match.items():
        if selector not in ("datasets", "fields") and value not in (None, [], {}):
            if selector == "owners" and not any(_mapping(value).values()):
                continue
            return (
                f"match.{selector} may fit datasets outside of domain {domain.name}; name datasets instead, as in"
                f" {domain.datasets[0]}."
            )
    fields = [_mapping(each).get("dataset") for each in _listed(match.get("fields"))]
    for pattern in (*_listed(match.get("datasets")), *fields):
        if not isinstance(pattern, str) or not domain.has_all(pattern):
            return f"{pattern} may match datasets outside of domain {domain.name}, which has {_named(domain.datasets)}."
    return None


@dataclass(frozen=True, slots=True)
class Editor:
    """Who edits a Dataset document, and what its tags mean.

    powers    what they may do with the dataset
    guarding  tags that documents of the installation match
    opening   tags by which roles and grants open datasets and fields
    """

    user: str
    groups: frozenset[str]
    powers: frozenset[Power]
    guarding: frozenset[str] = frozenset()
    opening: frozenset[str] = frozenset()

    @property
    def decides(self) -> bool:
        return Power.APPROVE in self.powers


def edit_refused(editor: Editor, before: Spec, after: Spec, tags_of: Mapping[str, Collection[str]]) -> str | None:
    """Why a Dataset document may not become another one, in a sentence. `tags_of`: glossary term -> its tags."""
    for key in sorted(before.keys() | after.keys()):
        if key not in _EDITED and before.get(key) != after.get(key):
            return f"spec.{key} is the installation's to change; leave it as it is."
    old, new = _tags(before, tags_of), _tags(after, tags_of)
    if lost := sorted(set().union(*(expanded(old[at]) - expanded(new.get(at, ())) for at in old)) & editor.guarding):
        return (
            f"without the tag {lost[0]} a document of the installation would hold for it no longer; leave the tag, or ask an"
            " administrator."
        )
    owners = _owners(after) - _owners(before)
    if owners and not editor.decides:
        return "owners read it, so a steward names none; ask an admin of the domain."
    mine = any(kind == "user" and same_person(str(name), editor.user) for kind, name in owners)
    if mine or owners & {("group", each) for each in editor.groups}:
        return "owners read it, so an admin does not become one by their own change; ask another admin of the domain."
    if editor.decides:
        return None
    added = sorted({tag for at in new for tag in new[at] - old.get(at, set())})
    if problem := next(filter(None, (tag_refused(tag, editor.opening) for tag in added)), None):
        return problem
    return None


def curation_refused(before: Spec, after: Spec, tags_of: Mapping[str, Collection[str]]) -> str | None:
    """Why an owner of a dataset may not change its document so, in a sentence: who reads it stays as it is, so tags, and terms
    that give tags, are for others to change."""
    for key in sorted(before.keys() | after.keys()):
        if key not in CURATED | {"fields"} and before.get(key) != after.get(key):
            return f"spec.{key} is not an owner's to change; leave it as it is."
    for path, one, other in _both(before, after):
        changed = {key for key in one.keys() | other.keys() if one.get(key) != other.get(key)}
        if beside := sorted(changed - _CURATED_OF_FIELDS - {"path"}):
            return f"{beside[0]} of the field {path} is not an owner's to change; leave it as it is."
    old, new = _tags(before, tags_of), _tags(after, tags_of)
    if moved := sorted(tag for at in old.keys() | new.keys() for tag in old.get(at, set()) ^ new.get(at, set())):
        return f"its terms would change the tag {moved[0]}, which is not an owner's to change; leave them as they are."
    return None


def _both(before: Spec, after: Spec) -> list[tuple[str, Spec, Spec]]:
    """Of each field what two documents have of it."""
    old, new = ({str(each.get("path")): each for each in _listed(spec.get("fields"))} for spec in (before, after))
    return [(path, old.get(path, {}), new.get(path, {})) for path in sorted(old.keys() | new.keys())]


def tag_refused(tag: str, opening: Collection[str]) -> str | None:
    """Why somebody who does not decide on access may not add a tag, in a sentence."""
    if any(tag_matches(each, tag) for each in opening):
        return f"the tag {tag} would open it to roles or grants, which an admin of the domain decides."
    return None


def opening(roles: Iterable[Role], grants: Iterable[Grant], reference: str) -> frozenset[str]:
    """Tags by which roles, and grants on a dataset, open it or fields of it."""
    by_roles = {target.tag for role in roles for target in role.read if target.tag}
    entries = {
        entry
        for grant in grants
        if grant.status is GrantStatus.APPROVED and dataset_matches(grant.dataset, reference)
        for entry in (*grant.fields, *grant.unmask)
    }
    return frozenset(by_roles | {each for each in entries if each != EVERYTHING and not is_path(each)})


def domain_refused(name: str, before: Spec | None, after: Spec) -> str | None:
    """Why an admin of a domain may not change its document so, in a sentence."""
    if before is None or _listed(before.get("datasets")) != _listed(after.get("datasets")):
        return f"which datasets belong to domain {name} is the installation's to change; leave spec.datasets as it is."
    return None


def guarding(documents: Iterable[tuple[str, Mapping[str, Any], Spec]]) -> frozenset[str]:
    """Tags that documents of the installation match. Each: kind, metadata, spec."""
    tags: set[str] = set()
    for kind, metadata, spec in documents:
        if kind in ("Policy", "Workflow", "Visibility") and not metadata.get("domain"):
            match = _mapping(spec.get("match"))
            tags.update(_listed(match.get("tags")), (f"domain.{each}" for each in _listed(match.get("domains"))))
    return frozenset(tags)


def _given(spec: Spec, tags_of: Mapping[str, Collection[str]]) -> set[str]:
    return {tag for term in _listed(spec.get("terms")) for tag in tags_of.get(term, ())}


def _tags(spec: Spec, tags_of: Mapping[str, Collection[str]]) -> dict[str, set[str]]:
    """Field -> its tags; "" -> those of the whole dataset."""
    places = [("", spec), *((str(_mapping(each).get("path")), _mapping(each)) for each in _listed(spec.get("fields")))]
    return {path: {*_listed(each.get("tags")), *_given(each, tags_of)} for path, each in places}


def _owners(spec: Spec) -> set[tuple[str, Any]]:
    owners = (_mapping(owner) for owner in _listed(spec.get("owners")))
    return {(key, owner[key]) for owner in owners for key in ("user", "group") if owner.get(key) is not None}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _named(patterns: Collection[str]) -> str:
    text = ", ".join(list(patterns)[:3])
    return text if len(patterns) <= 3 else f"{text} and {len(patterns) - 3} more"
