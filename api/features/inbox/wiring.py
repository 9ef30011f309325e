"""The service of inboxes."""

from __future__ import annotations

from datetime import datetime

from api.config.home import Home
from api.config.settings import Settings
from api.edge.tls import certificate_end
from api.features.access_reviews.service import AccessReviews
from api.features.health.service import Health
from api.features.inbox.service import Inboxes, Services
from api.joins.responsible import ResponsiblePeople
from api.visibility.readers import Readers
from api.visibility.sight import SightRules
from api.wiring.adapters import Adapters
from api.wiring.clock import now
from api.wiring.instance import Instance
from catalog.contracts.service import Contracts
from catalog.incidents.service import Incidents
from catalog.ports import CatalogStore
from catalog.questions import Questions
from catalog.scans.scans import Scans
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.broker_rights.copy_keeper import CopyKeeper
from policies.broker_rights.reconcile import Reconciliation
from policies.requests.approvals import Approvals


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""

    def end() -> datetime | None:
        path = instance[Settings].api.tls_certificate
        return certificate_end(path) if path is not None else None

    def inboxes() -> Inboxes:
        service = Inboxes(
            Services(
                store=instance[CatalogStore],
                readers=instance[Readers],
                sights=instance[SightRules],
                identity=instance[Identity],
                approvals=instance[Approvals],
                campaigns=instance[AccessReviews].campaigns,
                grants=instance[Grants],
                contracts=instance[Contracts],
                questions=instance[Questions],
                responsible=instance[ResponsiblePeople],
                incidents=instance[Incidents],
                copies=instance[CopyKeeper],
                comparison=instance[Reconciliation].comparison,
                scans=instance[Scans],
                health=instance[Health],
                certificate_end=end,
                folder=instance[Home].root,
                now=now,
            )
        )
        parts.closing.append(service.close)
        return service

    instance.provide(Inboxes, inboxes)
