"""YAML that is proposed and not applied, as the policies room simulates and tests it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from api.joins.declared import KINDS
from api.joins.domains import DomainRights
from catalog.declared.dataset_specs import DatasetSpec
from catalog.declared.documents import Document, load
from catalog.errors import InvalidInput
from policies.declared import kinds as policy_kinds
from policies.model import DatasetFacts, FieldFacts, Subject, SubjectMatch
from policies.whatif.overlay import Proposed


@dataclass(frozen=True, slots=True)
class Proposal:
    """Documents of the policies room, and what Dataset documents would make known. `written`: all documents of the text;
    `removed`: kind and name of those that are taken away."""

    documents: tuple[Proposed, ...]
    datasets: Mapping[str, DatasetSpec]
    notes: tuple[str, ...]
    written: tuple[Document, ...] = ()
    removed: tuple[tuple[str, str], ...] = ()

    def require(self, rights: DomainRights, subject: Subject) -> None:
        """Raises NotAllowed for what the subject could not apply or delete."""
        rights.require(subject, self.written, prune=False)
        for kind, name in self.removed:
            rights.require_delete(subject, kind, name)

    def facts_after(self, facts: DatasetFacts) -> DatasetFacts:
        """Owners and tags as proposed. A proposed schema is not looked at."""
        spec = self.datasets.get(facts.reference)
        if spec is None:
            return facts
        tags = {f.path: dict.fromkeys(f.tags, "proposed") for f in spec.fields_}
        known = {f.path for f in facts.fields}
        fields = [
            replace(f, tags={**f.tags, **tags[f.path]}, classified=True) if f.path in tags else f for f in facts.fields
        ]
        fields += [FieldFacts(path, own_tags) for path, own_tags in tags.items() if path not in known]
        owners = facts.owners
        if "owners" in spec.model_fields_set:
            users = frozenset(o.user for o in spec.owners if o.user)
            owners = SubjectMatch(users=users, groups=frozenset(o.group for o in spec.owners if o.group))
        declared = frozenset(spec.tags) if "tags" in spec.model_fields_set else facts.tags
        return replace(facts, fields=tuple(fields), owners=owners, tags=declared)


def read(text: str, remove: Sequence[str] = ()) -> Proposal:
    """Documents of a text, and those to take away, written KIND/NAME. Raises InvalidInput naming line and field."""
    documents = load(text, KINDS) if text.strip() else []
    governance = [d for d in documents if d.kind in policy_kinds.KINDS]
    datasets = {d.key: d.model for d in documents if isinstance(d.model, DatasetSpec)}
    others = sorted({d.kind for d in documents} - set(policy_kinds.KINDS) - {"Dataset"})
    notes = [f"{kind} documents are not part of a simulation." for kind in others]
    if any(spec.columns is not None for spec in datasets.values()):
        notes.append("A proposed schema of a Dataset is not part of a simulation; its owners and tags are.")
    removed = [*map(_removed, remove)]
    return Proposal(
        (*map(_proposed, governance), *removed),
        datasets,
        tuple(notes),
        tuple(documents),
        tuple((each.kind, each.name) for each in removed),
    )


def _proposed(document: Document) -> Proposed:
    return Proposed(document.kind, document.name, dict(document.spec), dict(document.metadata))


def _removed(text: str) -> Proposed:
    kind, _, name = text.partition("/")
    if kind not in policy_kinds.KINDS or not name:
        known = ", ".join(policy_kinds.KINDS)
        raise InvalidInput(f"{text[:80]!r} is not what can be removed; write KIND/NAME with one of {known}.")
    return Proposed(kind, name, None)
