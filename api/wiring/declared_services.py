"""What people declare, joined: a handler for each kind of document, connectors, and what may be known of datasets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from api.config.settings import Settings
from api.joins.connectors.declared import ConnectorHandler
from api.joins.connectors.places import Places
from api.joins.connectors.sync import ConnectorSync
from api.joins.cross_room import names_cluster
from api.joins.declared import DeclaredService, GovernanceHandler
from api.joins.domains import DomainRights
from api.joins.names.check import NameCheck
from api.joins.origins import DocumentOrigins
from api.joins.second_person import SecondPerson
from api.joins.views.declared import ViewHandler
from api.joins.views.start_check import StartCheck
from api.visibility.declared import KIND as VISIBILITY
from api.visibility.declared import VisibilityHandler
from api.visibility.knowledge import Knowledge
from api.webhooks.deliver import WebhookHandler
from api.wiring.adapters import Adapters
from api.wiring.catalog_services import CatalogServices
from api.wiring.clock import now
from api.wiring.governance_services import GovernanceServices
from api.wiring.query_services import QueryServices
from api.wiring.view_services import compaction, output_topic, source_topic, view_subject
from catalog.apply import handlers as catalog_handlers
from catalog.apply.apply import Handler
from catalog.apply.contracts import ContractHandler
from policies.declared import kinds as policy_kinds


@dataclass(frozen=True, slots=True)
class DeclaredServices:
    declared: DeclaredService
    view_handler: ViewHandler
    places: Places
    connectors: ConnectorSync
    second: SecondPerson
    knowledge: Knowledge
    rights: DomainRights


def declared_services(
    settings: Settings,
    parts: Adapters,
    catalog: CatalogServices,
    governance: GovernanceServices,
    queries: QueryServices,
) -> DeclaredServices:
    store, clusters = catalog.store, catalog.clusters
    state, identity, audit = governance.state, governance.identity, governance.audit.log
    view_handler = ViewHandler(
        store,
        now,
        output_topic(catalog.view_clusters, parts),
        source_topic(clusters, catalog.declared_views),
        StartCheck(
            queries.query.preparer, partial(view_subject, state, identity), compaction(catalog.view_clusters, parts)
        ),
    )
    places = Places(store, parts.secrets, parts.connect_workers, parts.servers)
    connectors = ConnectorSync(store, now, places)
    second = SecondPerson(store, now, settings.secrets, places, state.store.get)
    knowledge = Knowledge(state, identity, store, clusters, now, settings.policies.visibility == "closed")
    state.within, state.worded, state.known = knowledge.within, knowledge.worded, knowledge.of_facts
    catalog.search.partly_known = knowledge.partly_known

    def names_the_cluster(cluster: str) -> bool:
        return names_cluster(state, cluster) or bool(places.named_of(cluster))

    handlers: list[Handler] = [
        *catalog_handlers.handlers(
            store,
            now,
            catalog.datasets,
            catalog.search,
            catalog.discovery,
            names_the_cluster,
            parts.secrets,
            places.named_of,
            parts.servers,
        ),
        ContractHandler(store, now, catalog.contracts),
        *(GovernanceHandler(kind, state) for kind in policy_kinds.KINDS if kind != VISIBILITY),
        VisibilityHandler(state, knowledge, store, catalog.search),
        WebhookHandler(store, now, catalog.guard, parts.secrets),
        view_handler,
        ConnectorHandler(store, now, places, connectors.bring, second.waits),
    ]
    rights = DomainRights(state, identity, store, knowledge.outlines)
    open_groups = bool(settings.oidc.issuer)
    names = NameCheck(store, state, identity, catalog.facts, catalog.declared_views, open_groups)
    origins = DocumentOrigins(store, now)
    declared = DeclaredService(handlers, parts.transaction, audit, second, queries.purposes, rights, names, origins)
    return DeclaredServices(
        declared=declared,
        view_handler=view_handler,
        places=places,
        connectors=connectors,
        second=second,
        knowledge=knowledge,
        rights=rights,
    )
