"""The service of SCIM."""

from __future__ import annotations

from api.features.scim.service import ScimService
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance
from policies.access.directory import DirectoryPeople


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""
    instance.provide(ScimService, lambda: ScimService(instance[DirectoryPeople]))
