"""The record store of an instance, who signs in, and its own keys. Drivers are imported when they are used."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Hashable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from api.config.home import Home
from api.config.settings import Settings
from api.wiring.given import GivenAdapters, MadeAdapters, part
from catalog.declared.secrets import Secrets
from catalog.declared.server_addresses import ServerAddresses
from catalog.errors import InvalidInput, SettingsError

if TYPE_CHECKING:
    from catalog.adapters.sql.database import Database
    from catalog.adapters.sql.store_version import StoreVersion
    from catalog.declared.server_specs import Secret
    from catalog.leases.leases import Leases
    from catalog.ports import CatalogStore
    from policies.access.session_ports import OpenIdClient, Sealer, SessionStore
    from policies.broker_rights.ledger import RightsLedger
    from policies.campaigns.ports import CampaignStore
    from policies.declared.provider_specs import IdentityProviderSpec
    from policies.notify.notices import NoticeStore
    from policies.plan.query_board import AllQueries
    from policies.plan.registry import RunningQueries
    from policies.ports import AgentRows, PolicyStore, TokenStore, TokenVerifier


class StoreParts(MadeAdapters):
    """What keeps records and secrets, and checks who signs in."""

    def __init__(self, settings: Settings, home: Home, given: GivenAdapters) -> None:
        super().__init__(given)
        self._settings = settings
        self._home = home
        self.secrets = Secrets(settings.secrets)
        self.servers = ServerAddresses(settings.catalog.allowed_link_local)

    @part
    def database(self) -> Database | None:
        """The record store's database; a test with other stores has none."""
        from catalog.adapters.sql.database import Database

        database = Database(self._settings.database.url or self._home.database_url)
        database.migrate()
        self.closing.append(database.close)
        return database

    def _there(self) -> Database:
        database = self.database
        assert database is not None, "a store of its own needs a database"
        return database

    @part
    def store_version(self) -> StoreVersion | None:
        """Whether somebody wrote to the record store; a test with other stores has none."""
        from catalog.adapters.sql.store_version import StoreVersion

        version = None if self.database is None else StoreVersion(self.database)
        if version is not None:
            self.closing.append(version.close)
        return version

    def written(self) -> Hashable:
        """Differs once somebody wrote to the record store, always where it cannot be known. Raises Unavailable."""
        version = self.store_version
        return object() if version is None else version.read()

    def leases(self, names: Collection[str]) -> Leases:
        """The leases of this process; from then on the record store refuses what it writes under one that is lost."""
        from catalog.adapters.sql.leases import SqlBeats, SqlLeases
        from catalog.leases.leases import Leases

        beats = SqlBeats(self._there())
        self.closing.append(beats.close)
        return Leases(SqlLeases(self._there()), beats, names)

    def all_queries(self, here: RunningQueries) -> AllQueries:
        """The queries of this process and of the others on the same record store."""
        from catalog.adapters.sql.leases import SqlBeats
        from policies.adapters.stores.query_board import SqlQueryBoard
        from policies.plan.query_board import AllQueries

        beats, board = SqlBeats(self._there()), SqlQueryBoard(self._there())
        queries = AllQueries(here, board, beats)
        self.closing.extend([beats.close, board.close, queries.close])
        return queries

    def transaction(self) -> AbstractContextManager[Any]:
        """One transaction for both rooms that keep records."""
        database = self.database
        return contextlib.ExitStack() if database is None else database.begin()

    @part
    def store(self) -> CatalogStore:
        from catalog.adapters.sql.store import SqlCatalogStore

        return SqlCatalogStore(self._there())

    @part
    def policy_store(self) -> PolicyStore:
        from policies.adapters.stores.sql import SqlPolicyStore

        return SqlPolicyStore(self._there())

    @part
    def tokens(self) -> TokenStore:
        from policies.adapters.stores.sql import SqlTokenStore

        return SqlTokenStore(self._there())

    @part
    def agent_rows(self) -> AgentRows:
        from policies.adapters.stores.agent_rows import SqlAgentRows

        return SqlAgentRows(self._there())

    @part
    def session_store(self) -> SessionStore:
        from policies.adapters.stores.sessions import SqlSessionStore

        return SqlSessionStore(self._there())

    @part
    def rights_ledger(self) -> RightsLedger:
        from policies.adapters.stores.rights_ledger import SqlRightsLedger

        return SqlRightsLedger(self._there())

    @part
    def campaign_store(self) -> CampaignStore:
        from policies.adapters.stores.campaigns import SqlCampaignStore

        return SqlCampaignStore(self._there())

    @part
    def notice_store(self) -> NoticeStore:
        from policies.adapters.stores.notices import SqlNoticeStore

        return SqlNoticeStore(self._there(), lambda: datetime.now(UTC))

    def notice_sealer(self) -> Sealer:
        """Seals addresses of people's chat services; the key is kept in WEIR_HOME."""
        from policies.adapters.seal import FernetSealer

        return FernetSealer(lambda: self._home.secret("notify").encode())

    def cursor_sealer(self) -> Sealer:
        """Seals cursors that would count what their reader does not see; the key is kept in WEIR_HOME."""
        from policies.adapters.seal import FernetSealer

        return FernetSealer(lambda: self._home.secret("cursors").encode())

    @part
    def openid(self) -> OpenIdClient:
        """The client of declared identity providers."""
        from policies.adapters.oidc_sign_in import OidcSignIn

        def secret(reference: Secret) -> str:
            return self.secrets.read(reference.model_dump(exclude_none=True), "spec.clientSecret") or ""

        return OidcSignIn(secret, lambda path: self.secrets.file(path, "spec.ca", authorities=True), self.servers)

    def sealer(self) -> Sealer:
        """Seals what sign-in keeps of providers; the key is kept in WEIR_HOME."""
        from policies.adapters.seal import FernetSealer

        return FernetSealer(lambda: self._home.secret("sign-in").encode())

    def check_provider(self, spec: IdentityProviderSpec) -> None:
        """Raises InvalidInput when a declared provider names a place that may not be read, or an address that may not be called."""
        try:
            self.servers.require_url(spec.issuer, "spec.issuer")
            if spec.client_secret is not None:
                self.secrets.check(spec.client_secret.model_dump(exclude_none=True), "spec.clientSecret")
            if spec.ca:
                self.secrets.check_file(spec.ca, "spec.ca", authorities=True)
        except SettingsError as refused:
            raise InvalidInput(refused.message, details=refused.details) from None

    def verifiers(self) -> list[TokenVerifier]:
        """Other issuers of bearer tokens, as set."""
        from policies.adapters.oidc import OidcVerifier

        oidc = self._settings.oidc
        return [OidcVerifier(oidc)] if oidc.issuer or oidc.audience else []

    def mask_secret(self) -> bytes:
        """The secret of keyed masks: as given, else one kept in WEIR_HOME."""
        given = self.given.mask_secret
        return given if isinstance(given, bytes) else self._home.secret("masks").encode()

    def click_secret(self) -> bytes:
        """The key that hashes queries whose answers were opened; kept in WEIR_HOME."""
        return self._home.secret("clicks").encode()
