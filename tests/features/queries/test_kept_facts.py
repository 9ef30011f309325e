"""Nothing is decided on what the catalog or the rules had before: each change is seen by the next query, also one that
another process made, and the catalog is not read again while there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from catalog.adapters.sql.database import Database
from catalog.adapters.sql.store import SqlCatalogStore
from catalog.datasets.datasets import Datasets
from catalog.errors import DatasetNotFound, NotAllowed, NotSignedIn, WeirError
from catalog.model import DatasetId, ReviewState
from catalog.ports import CatalogStore
from catalog.records import ClassificationRecord, DeclaredDocument, FieldNote
from policies.access.identity import Identity
from policies.adapters.stores.sql import SqlPolicyStore, SqlTokenStore
from policies.plan.model import QueryPlan, Range, Result, ResultColumn, Window
from policies.ports import Change, FactsSource
from policies.query.service import GovernedQuery
from policies.sql.windows import AsOf
from tests.api_world import ApiWorld, orders, world

NOW = datetime.now(UTC)
SQL = "SELECT region FROM prod.orders"
BASE = """
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [orders-reader]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: orders-reader}
spec: {read: [{dataset: "prod/orders"}]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: hidden}
spec: {type: mask, match: {tags: [SECRET]}, mask: {type: MASK}}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: closed}
spec: {type: access, match: {tags: [closed]}, requires: {grant: true}}
"""


class Other:
    """Another process on the same record store: it has nothing in common with this one but the file."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(f"sqlite:///{folder / 'weir.db'}")
        self.store = SqlCatalogStore(self.database)
        self.rules, self.tokens = SqlPolicyStore(self.database), SqlTokenStore(self.database)


class Engine:
    """Has one row; also the offsets."""

    def run(self, plan: QueryPlan) -> Result:
        return Result((ResultColumn("region", "string"),), [["EU"]], False)

    def window(self, kafka: Mapping[str, str], topic: str, as_of: AsOf, limit: int) -> Window:
        return Window((Range(0, 0, 10),))


class Asked:
    """Ana, who signed in once, and asks again and again."""

    def __init__(self, weir: ApiWorld, folder: Path) -> None:
        self.weir, self.other = weir, Other(folder)
        token = weir.admin.post("/api/v1/tokens", json={"user": "ana"}).json()
        self.token_id, self.session = token["id"], weir.services[Identity].session(token["token"])
        self.orders: DatasetId = weir.services[Datasets].find("prod/orders")

    def sees(self, sql: str = SQL) -> str:
        """How the region is shown to ana: unmasked or masked. Raises what a query raises."""
        subject = self.session()
        query = self.weir.services[GovernedQuery]
        with query.running.during(subject, sql, None) as live:
            live.signed_in = self.session
            return str(query.run(subject, sql, running=live).columns[0]["decision"]["effect"])


@pytest.fixture
def ana(tmp_path: Path) -> Iterator[Asked]:
    engine = Engine()
    with world(tmp_path, {"orders": orders(20)}, engine=engine, window=engine) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        weir.apply(BASE)
        user = Asked(weir, tmp_path)
        yield user
        user.other.database.close()


def tag(ana: Asked, state: ReviewState = ReviewState.CONFIRMED) -> None:
    classification_record = ClassificationRecord("value.region", "SECRET", 0.9, state, {})
    ana.other.store.put_classifications(ana.orders, [classification_record], [], NOW)


def noted(ana: Asked) -> None:
    term = DeclaredDocument("GlossaryTerm", "place", {}, {"tags": ["SECRET"]}, NOW, "otto")
    ana.other.store.put_document(term)
    ana.other.store.put_notes(ana.orders, [FieldNote("value.region", "", ("place",))])


def change(ana: Asked, **attributes: Any) -> None:
    present = ana.other.store.dataset(ana.orders)
    assert present is not None
    ana.other.store.put_dataset(replace(present, **attributes), quiet=True)


def rule(ana: Asked, kind: str, name: str, spec: Any) -> None:
    ana.other.rules.apply([Change(kind, name, spec)], NOW)


HIDING: dict[str, Callable[[Asked], None]] = {
    "a tag": tag,
    "a term with a tag": noted,
    "a policy": lambda ana: rule(
        ana,
        "Policy",
        "more",
        {
            "type": "mask",
            "match": {"fields": [{"dataset": "prod/orders", "path": "value.region"}]},
            "mask": {"type": "MASK"},
        },
    ),
}
ENDING: dict[str, tuple[Callable[[Asked], object], type[WeirError]]] = {
    "a tag of the dataset": (lambda ana: change(ana, tags=("closed",)), NotAllowed),
    "a role without it": (
        lambda ana: rule(ana, "Role", "orders-reader", {"read": [{"dataset": "prod/other"}]}),
        NotAllowed,
    ),
    "a user disabled": (
        lambda ana: rule(ana, "User", "ana", {"roles": ["orders-reader"], "disabled": True}),
        NotSignedIn,
    ),
    "a user deleted": (lambda ana: rule(ana, "User", "ana", None), NotSignedIn),
    "a token revoked": (lambda ana: ana.other.tokens.revoke(ana.token_id, NOW), NotSignedIn),
    "the dataset deleted": (lambda ana: ana.other.store.delete_dataset(ana.orders), DatasetNotFound),
    "the dataset marked as deleted": (lambda ana: change(ana, deleted_at=NOW), DatasetNotFound),
    "its cluster deleted": (lambda ana: ana.other.store.delete_cluster("prod"), WeirError),
    "a namespace renamed": (
        lambda ana: ana.other.store.rename_namespace(ana.orders.namespace, "kafka://else:1"),
        WeirError,
    ),
}


@pytest.mark.parametrize("what", HIDING)
def test_what_another_process_hides_is_hidden_from_the_next_query(ana: Asked, what: str) -> None:
    assert [ana.sees() for _ in range(3)] == ["clear"] * 3
    HIDING[what](ana)
    assert ana.sees() == "masked"


@pytest.mark.parametrize("what", ENDING)
def test_what_another_process_ends_is_ended_for_the_next_query(ana: Asked, what: str) -> None:
    assert ana.sees() == "clear"
    action, error = ENDING[what]
    action(ana)
    with pytest.raises(error):
        ana.sees()


def test_what_is_taken_back_is_open_again(ana: Asked) -> None:
    tag(ana)
    assert ana.sees() == "masked"
    tag(ana, ReviewState.REJECTED)
    assert ana.sees() == "clear"
    ana.other.store.put_classifications(ana.orders, [], [("value.region", "SECRET")], NOW)
    assert ana.sees() == "clear"


def test_a_change_that_is_not_kept_changes_nothing(ana: Asked) -> None:
    """A query inside a transaction sees the change of it; what it read is not given to anybody else."""
    store = ana.weir.services[CatalogStore]
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.put_classifications(
            ana.orders, [ClassificationRecord("value.region", "SECRET", 0.9, ReviewState.CONFIRMED, {})], [], NOW
        )
        inside = ana.weir.services[FactsSource].facts("prod/orders")
        assert "SECRET" in {tag for field in inside.fields for tag in field.tags}
        raise ZeroDivisionError
    tag(ana, ReviewState.REJECTED)  # so many changes as the one that was taken back
    assert ana.sees() == "clear"


def test_a_column_that_a_scan_found_is_there_in_the_next_query(ana: Asked) -> None:
    table = ana.weir.services[GovernedQuery].preparer.table("prod.orders")
    change(ana, declared_ddl="region STRING, later STRING")
    now = ana.weir.services[GovernedQuery].preparer.table("prod.orders")
    assert "later" not in str(table.value.kind) and "later" in str(now.value.kind)


def test_the_catalog_is_not_read_again_while_nothing_changes(ana: Asked) -> None:
    ana.sees()
    store = ana.weir.services[CatalogStore]
    read: list[str] = []

    def noting(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            read.append(name)
            return method(*given)

        return call

    for name in ("schema", "classifications", "notes", "documents", "dataset", "clusters", "aliases", "cluster"):
        setattr(store, name, noting(name, getattr(store, name)))
    assert ana.sees() == "clear" and not read
    usage = ana.weir.services[CatalogStore].dataset(ana.orders)
    assert usage is not None and usage.usage >= 2  # counted, and no change
