"""The services of the glossary."""

from __future__ import annotations

from api.features.declared.known import KnownDocuments
from api.features.glossary.service import GlossaryTree
from api.visibility.readers import Readers
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""
    instance.provide(GlossaryTree, lambda: GlossaryTree(instance[KnownDocuments], instance[Readers]))
