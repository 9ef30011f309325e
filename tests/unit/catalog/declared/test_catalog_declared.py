"""Declared state: read strictly, applied as a whole, given back the same."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from catalog.apply.apply import Applier, Change
from catalog.apply.handlers import handlers
from catalog.datasets.datasets import Datasets
from catalog.datasets.discovery import Discovery
from catalog.declared.documents import Document, as_document, load
from catalog.declared.kinds import KINDS
from catalog.declared.yaml_text import dump
from catalog.errors import Conflict, InvalidInput, NotFound, Unavailable
from catalog.model import DatasetId
from catalog.records import DeclaredDocument
from catalog.topics import ClusterDescription
from tests.catalog_samples import World, email, scan

TEXT = """\
# a comment
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec:
  description: Orders as the shop confirms them, one record an order.
  owners: [{user: otto}, {group: team-orders}]
  tags: [domain.sales]
  format: {key: string, value: json}        # json | avro
  schema:
    spark: >-
      order_id STRING, customer STRUCT<name: STRING, email: STRING>, amount DECIMAL(12,2),
      items ARRAY<STRUCT<sku: STRING, qty: INT, gift_email: STRING>>, attributes MAP<STRING, STRING>
  fields:
    - {path: value.customer.email, tags: [EMAIL_ADDRESS], terms: [customer-email]}
    - {path: "value.items[].gift_email", tags: [EMAIL_ADDRESS]}
    - {path: "value.attributes{contact}", tags: [PHONE_NUMBER]}
    - {path: key, tags: [PERSON]}
---
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec:
  type: kafka
  bootstrapServers: localhost:9092
  schemaRegistry: {url: "http://localhost:8081/apis/ccompat/v7"}
---
apiVersion: weir/v1
kind: GlossaryTerm
metadata: {name: customer-email}
spec: {definition: Where we write to a customer., parent: contact-data, tags: [EMAIL_ADDRESS]}
---
apiVersion: weir/v1
kind: Recognizer
metadata: {name: employee-number}
spec:
  supported_entity: EMPLOYEE_NUMBER
  patterns: [{name: emp, regex: "EMP-[0-9]{6}", score: 0.6}]
  context: [employee, staff]
"""
ORDERS = DatasetId("kafka://localhost:9092", "orders")


class OneBroker:
    """Brokers of one cluster, or none."""

    def __init__(self, up: bool = True) -> None:
        self.up = up

    def describe(self, settings: object, bootstrap: object) -> ClusterDescription:
        if not self.up:
            raise Unavailable("Kafka does not answer.")
        return ClusterDescription("id-1", ("localhost:9092",))


def applier(world: World, up: bool = True) -> Applier:
    discovery = Discovery(OneBroker(up), world.datasets)  # type: ignore[arg-type]
    return Applier(handlers(world.store, world.clock, world.datasets, world.search, discovery), world.store.transaction)


def actions(changes: Sequence[Change]) -> list[tuple[str, str, str]]:
    return [(c.kind, c.name, str(c.action)) for c in changes]


def test_documents_are_applied_clusters_first_and_come_back_the_same() -> None:
    world = World()
    documents = load(TEXT, KINDS)
    assert [(d.kind, d.key, d.line) for d in documents] == [
        ("Dataset", "prod/orders", 2),
        ("Cluster", "prod", 20),
        ("GlossaryTerm", "customer-email", 28),
        ("Recognizer", "employee-number", 33),
    ]
    outcome = applier(world).apply(documents, by="admin")
    assert {action for _, _, action in actions(outcome)} == {"create"}
    assert outcome[0].kind == "Cluster"
    assert world.clusters.get("prod").cluster_id == "id-1"
    tags = {(c.path, c.entity, str(c.state)) for c in world.datasets.classifications(ORDERS)}
    assert ("value.attributes{contact}", "PHONE_NUMBER", "confirmed") in tags and len(tags) == 4
    assert world.search.search("gift", filters={"entity": ["EMAIL_ADDRESS"]}).total == 2

    again = applier(world).apply(load(TEXT, KINDS))
    assert {action for _, _, action in actions(again)} == {"unchanged"}
    back = {(d["kind"], d["metadata"]["name"]): d for d in applier(world).to_documents()}
    written = {(d["kind"], d["metadata"]["name"]): d for d in yaml.safe_load_all(TEXT)}
    assert back == written
    assert load(dump(back.values()), KINDS)[0].spec == documents[1].spec


def test_a_plan_writes_nothing_and_shows_what_would_change() -> None:
    world = World()
    assert {a for _, _, a in actions(applier(world).plan(load(TEXT, KINDS)))} == {"create"}
    assert world.store.documents() == []
    applier(world).apply(load(TEXT, KINDS))
    changed = load(TEXT.replace("domain.sales", "domain.shop"), KINDS)
    plan = [c for c in applier(world).plan(changed) if c.action != "unchanged"]
    assert actions(plan) == [("Dataset", "prod/orders", "update")]
    assert "-  - domain.sales" in plan[0].diff.replace("    ", "  ")
    assert "+  - domain.shop" in plan[0].diff.replace("    ", "  ")


def test_prune_deletes_what_is_no_longer_declared() -> None:
    world = World()
    applier(world).apply(load(TEXT, KINDS))
    world.datasets.record_scan(scan(ORDERS, ["value.note"], [email("value.note")]))
    fewer = load(TEXT.replace("name: orders", "name: other"), KINDS)
    done = applier(world).apply(fewer, prune=True)
    assert ("Dataset", "prod/orders", "delete") in actions(done)
    left = world.datasets.get(ORDERS)
    assert left.description == "" and left.declared_ddl is None
    assert {(c.path, str(c.state)) for c in world.datasets.classifications(ORDERS)} == {("value.note", "suggested")}


def test_nothing_is_written_when_one_document_is_wrong() -> None:
    world = World()
    text = TEXT.replace("cluster: prod", "cluster: produ")
    with pytest.raises(InvalidInput, match="line 2: Dataset produ/orders: there is no cluster 'produ'") as caught:
        applier(world).apply(load(text, KINDS))
    assert caught.value.details["line"] == 2
    assert world.store.documents() == [] and world.store.clusters() == []


def test_nothing_is_written_when_writing_fails_half_way(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Datasets, "declare", broken)
    with pytest.raises(ZeroDivisionError):
        applier(world).apply(load(TEXT, KINDS))
    assert world.store.documents() == [] and world.store.clusters() == []


def test_a_cluster_is_recorded_although_its_broker_is_away() -> None:
    world = World()
    applier(world, up=False).apply(load(TEXT, KINDS))
    assert world.clusters.get("prod").cluster_id is None


def test_a_cluster_with_datasets_stays() -> None:
    world = World()
    one = applier(world)
    one.apply(load(TEXT, KINDS))
    with pytest.raises(Conflict, match="prod/orders"):
        one.delete("cluster", "prod")
    one.delete("datasets", "prod/orders")
    one.delete("Cluster", "prod")
    assert world.store.clusters() == []
    with pytest.raises(NotFound):
        one.get("cluster", "prod")


def test_kinds_are_found_as_people_write_them() -> None:
    one = applier(World())
    assert one.kind_named("glossary-terms") == one.kind_named("GlossaryTerm") == "GlossaryTerm"
    with pytest.raises(InvalidInput, match="did you mean Cluster"):
        one.get("Clustr")


def test_a_changed_term_reaches_the_search() -> None:
    world = World()
    one = applier(world)
    one.apply(load(TEXT.replace("tags: [EMAIL_ADDRESS], terms", "terms"), KINDS))
    match = world.search.search("", filters={"entity": ["EMAIL_ADDRESS"], "kind": ["field"]})
    assert match.total == 2
    one.apply(load(TEXT.replace("contact-data, tags: [EMAIL_ADDRESS]", "contact-data, tags: [URL]"), KINDS)[2:3])
    assert world.search.search("", filters={"entity": ["URL"], "kind": ["field"]}).total == 1


def test_a_term_is_not_its_own_parent() -> None:
    text = TEXT.replace("parent: contact-data", "parent: customer-email")
    with pytest.raises(InvalidInput, match="its own parents"):
        applier(World()).apply(load(text, KINDS))


CLUSTER = "apiVersion: weir/v1\nkind: Cluster\nmetadata: {name: p}\nspec:\n  bootstrapServers: h:1\n"


@pytest.mark.parametrize(
    ("text", "line", "field", "says"),
    [
        ("a: [", 1, None, "not YAML"),
        ("[1]", 1, None, "apiVersion, kind, metadata and spec"),
        (CLUSTER.replace("weir/v1", "v2"), 1, "apiVersion", "must be weir/v1"),
        (CLUSTER.replace("Cluster", "Cluser"), 2, "kind", "did you mean Cluster"),
        (CLUSTER.replace("kind: Cluster", "kind: [x]"), 2, "kind", "not a kind"),
        (CLUSTER.replace("name: p", "name: 5"), 3, "metadata.name", "must be text"),
        (CLUSTER.replace("name: p", "nam: p"), 3, "metadata.nam", "did you mean name"),
        (CLUSTER.replace("metadata: {name: p}\n", ""), 1, "metadata", "missing"),
        (CLUSTER.replace("name: p", "name: p, cluster: q"), 3, "metadata.cluster", "kind Dataset only"),
        (CLUSTER + "  bootstrapServer: x\n", 6, "spec.bootstrapServer", "did you mean bootstrapServers"),
        (CLUSTER + "  bootstrapServers: x\n", 6, "spec.bootstrapServers", "is there twice"),
        (CLUSTER.replace("h:1", "h"), 5, "spec.bootstrapServers", "not host:port"),
        (CLUSTER.replace("  bootstrapServers: h:1\n", "  type: kafka\n"), 4, "spec.bootstrapServers", "required"),
        (
            CLUSTER + "  security:\n    sasl: {username: u, password: hunter2}\n",
            7,
            "spec.security.sasl.password",
            "{env: NAME}",
        ),
        (CLUSTER + "  security:\n    tls: {verifyHostname: no}\n", 7, "spec.security.tls.verifyHostname", "boolean"),
        (CLUSTER + "  properties: {sasl.password: hunter2}\n", 6, "spec.properties", "security"),
        (CLUSTER + "  schemaRegistry: {url: 'http://u:hunter2@h'}\n", 6, "spec.schemaRegistry.url", "pattern"),
        (CLUSTER + "  description: &a x\n", 6, None, "anchors"),
        (CLUSTER + "  description: !!python/object/apply:os.system [x]\n", 6, "spec.description", "tag"),
        (CLUSTER + "---\n" + CLUSTER, 7, "metadata.name", "first at line 1"),
        (CLUSTER + "extra: 1\n", 6, "extra", "not known"),
        (CLUSTER.split("spec")[0].replace("Cluster", "Dataset") + "spec: {}\n", 3, "metadata.cluster", "which cluster"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, line: int, field: str | None, says: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        load(text, KINDS, "governance.yaml")
    assert caught.value.message.startswith(f"governance.yaml, line {line}: ")
    assert (caught.value.details["line"], caught.value.details["field"]) == (line, field)
    assert says in caught.value.message
    assert "hunter2" not in caught.value.message


def dataset(fields: str) -> str:
    return f"apiVersion: weir/v1\nkind: Dataset\nmetadata: {{name: o, cluster: p}}\nspec:\n{fields}"


@pytest.mark.parametrize(
    ("fields", "line", "says"),
    [
        ("  fields:\n    - {path: value.a}\n    - {path: customer}\n", 7, "must start with key, value or headers"),
        ("  fields: [{path: key}, {path: key}]\n", 5, "described twice"),
        ("  schema: {spark: 'a STRIN G G'}\n", 5, "spec.schema.spark"),
        ("  owners: [{user: a, group: b}]\n", 5, "{user: NAME} or {group: NAME}"),
        ("  owners: [otto]\n", 5, "spec.owners[0]"),
        ("  tags: [two words]\n", 5, "one word"),
        ("  tags: sales\n", 5, "must be a list"),
        ("  description: 5\n", 5, "must be a text"),
    ],
)
def test_what_is_wrong_in_a_dataset(fields: str, line: int, says: str) -> None:
    with pytest.raises(InvalidInput, match=f"line {line}") as caught:
        load(dataset(fields), KINDS)
    assert says in caught.value.message


def test_words_stay_words() -> None:
    text = dataset(
        "  owners: [{user: no}, {user: on}]\n  description: 2026-01-01\n  tags: [12:30]\n".replace("12:30", "y")
    )
    spec = load(text, KINDS)[0].spec
    assert spec == {"owners": [{"user": "no"}, {"user": "on"}], "description": "2026-01-01", "tags": ["y"]}


def test_bombs_and_nonsense_are_refused_quickly() -> None:
    bomb = "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]"
    for text in (bomb, "[" * 5000, "{a: " * 500, b"\xff\xfe", "x" * 3_000_000, "\x00", "a: \x07"):
        with pytest.raises(InvalidInput):
            load(text, KINDS)
    assert load("", KINDS) == load("---\n---\n# nothing\n", KINDS) == []


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=20)
    | st.sampled_from(
        ["no", "yes", "12:30", "2026-01-01", "0x1F", "1e3", "1_000", "~", "null", "0o17", "007", "=", "<<"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "no", "b c"]), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["a", "no", "1", "x.y"]), JSON, max_size=3))
def test_what_is_dumped_is_read_back_the_same(spec: dict[str, Any]) -> None:
    from pydantic import BaseModel, ConfigDict

    class Anything(BaseModel):
        model_config = ConfigDict(extra="allow")

    text = dump([as_document("Any", {"name": "x"}, spec)])
    assert load(text, {"Any": Anything})[0].spec == spec


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(InvalidInput):
        load(text, KINDS)


class FakeHandler:
    """A kind of another room."""

    kind = "Policy"

    def __init__(self) -> None:
        self.kept: dict[str, DeclaredDocument] = {}
        self.settled: list[Change] = []

    def check(self, document: Document, all_documents: Sequence[Document]) -> None: ...

    def get(self, key: str) -> DeclaredDocument | None:
        return self.kept.get(key)

    def actual(self, key: str) -> DeclaredDocument | None:
        return self.get(key)

    def put(self, document: Document, by: str | None) -> None:
        self.kept[document.key] = DeclaredDocument("Policy", document.key, document.metadata, document.spec)

    def delete(self, key: str, by: str | None) -> None:
        del self.kept[key]

    def list(self) -> Sequence[DeclaredDocument]:
        return list(self.kept.values())

    def notes(self, document: Document) -> Sequence[str]:
        return ()

    def settle(self, changes: Sequence[Change]) -> None:
        self.settled += changes


def test_another_room_joins() -> None:
    from pydantic import BaseModel

    class PolicySpec(BaseModel):
        type: str

    world, policies = World(), FakeHandler()
    both = Applier([*handlers(world.store, world.clock, world.datasets, None, None), policies], world.store.transaction)
    text = TEXT + "---\napiVersion: weir/v1\nkind: Policy\nmetadata: {name: m}\nspec: {type: mask}\n"
    both.apply(load(text, {**KINDS, "Policy": PolicySpec}))
    assert list(policies.kept) == ["m"] and actions(policies.settled) == [("Policy", "m", "create")]
    assert [d["kind"] for d in both.to_documents()] == ["Cluster", "GlossaryTerm", "Dataset", "Recognizer", "Policy"]
