"""What a decision on a view's rows rests on: the tags its columns inherit, and what the catalog knows of its topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from api.joins.facts import Facts
from catalog.declared.kinds import OwnerSpec
from catalog.errors import DatasetNotFound
from catalog.model import DatasetId
from policies.model import DatasetFacts, SubjectMatch
from views.declared import ViewSpec
from views.runner.result import facts_of
from views.runner.state import Generation


class ViewFacts:
    """Facts of a view's generation."""

    def __init__(self, facts: Facts, resolve: Callable[[str, str], DatasetId]) -> None:
        """`resolve`: cluster, name -> the dataset."""
        self._facts, self._resolve = facts, resolve

    def of(self, name: str, spec: ViewSpec, generation: Generation) -> DatasetFacts:
        """Tags from both sides together: none that is known anywhere is missing."""
        dataset = spec.sink.topic if spec.sink is not None else name
        reference = f"{generation.cluster}/{dataset}"
        tags = {path: dict(each) for path, each in generation.tags.items()}
        owners = _owners(spec.owners)
        if spec.sink is not None:
            try:
                known = self._facts.facts(reference)
            except DatasetNotFound:
                known = None
            for each in known.fields if known is not None else ():
                if each.tags:
                    tags[each.path] = {**each.tags, **tags.get(each.path, {})}
            if known is not None:
                owners = SubjectMatch(
                    users=owners.users | known.owners.users, groups=owners.groups | known.owners.groups
                )
        return facts_of(self._resolve(generation.cluster, dataset), reference, generation.typed, tags, owners)


def _owners(written: Sequence[OwnerSpec]) -> SubjectMatch:
    return SubjectMatch(
        users=frozenset(each.user for each in written if each.user),
        groups=frozenset(each.group for each in written if each.group),
    )
