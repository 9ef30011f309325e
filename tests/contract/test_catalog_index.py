"""What search promises, on the memory twin and on Elasticsearch."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from catalog.adapters.elastic.index import ElasticSearchIndex
from catalog.declared.dataset_specs import DatasetSpec
from catalog.errors import InvalidInput
from catalog.model import DatasetId, ReviewState
from catalog.ports import SearchIndex
from catalog.search.answers import SearchAnswer
from catalog.search.documents import dataset_key, entries
from catalog.search.service import Search
from tests.catalog_samples import NAMESPACE, World, email, profile, scan
from tests.twins.catalog.index import MemorySearchIndex


@pytest.fixture(params=["memory", pytest.param("elasticsearch", marks=pytest.mark.integration)])
def index(request: pytest.FixtureRequest) -> Iterator[SearchIndex]:
    if request.param == "memory":
        yield MemorySearchIndex()
        return
    stack = request.getfixturevalue("stack")
    alias = f"catalog-test-{uuid.uuid4().hex[:12]}"
    elastic = ElasticSearchIndex(stack.elasticsearch, alias, timeout_s=30)
    yield elastic
    client = elastic._client
    for name in client.indices.get(index=f"{alias}*", allow_no_indices=True, expand_wildcards="all"):
        client.indices.delete(index=name)
    elastic.close()


@pytest.fixture
def world(index: SearchIndex) -> World:
    world = World(index=index)
    world.search.reindex_dirty()
    world.datasets.record_scan(
        scan(
            DatasetId(NAMESPACE, "shop.orders"),
            [
                "key",
                "value.customer",
                "value.customer.email",
                "value.email_address",
                "value.items[].giftContact",
                "value.emphasis",
                "value.attributes{contact}",
            ],
            [email("value.items[].giftContact")],
        )
    )
    world.datasets.record_scan(
        scan(
            DatasetId(NAMESPACE, "github"),
            [
                "value.payload.pull_request.head.repo.owner.login",
                "value.payload.pull_request.base.repo.owner.login",
                "value.payload.repository.owner.login",
                "value.payload.pull_request.head.repo.owner.login_count",
                "value.payload.pull_request.title",
            ],
        )
    )
    world.datasets.declare(
        DatasetId(NAMESPACE, "payments"),
        DatasetSpec.model_validate(
            {
                "description": "Card payments, <b>settled</b> nightly.",
                "owners": [{"user": "otto"}, {"group": "team-pay"}],
                "tags": ["domain.sales"],
                "schema": {"spark": "card STRING, amount DECIMAL(10,2)"},
                "fields": [{"path": "value.card", "tags": ["CREDIT_CARD"], "description": "the number on the card"}],
            }
        ),
        "otto",
    )
    world.search.refresh()
    return world


def paths(answer: SearchAnswer) -> list[str]:
    return [hit.source.get("path", hit.source["name"]) for hit in answer.hits]


def find(world: World, q: str = "", **filters: str) -> list[str]:
    return paths(world.search.search(q, filters={k: [v] for k, v in filters.items()}, limit=100))


def test_a_word_finds_names_camel_case_and_entities(world: World) -> None:
    hit = find(world, "email", kind="field")
    assert set(hit) >= {"value.customer.email", "value.email_address", "value.items[].giftContact"}
    assert hit[0] == "value.customer.email"
    assert "value.emphasis" not in hit
    assert find(world, "gift") == find(world, "giftcontact") == find(world, "giftContact")
    assert find(world, "e-mail", kind="field")[0] == "value.customer.email"


def test_a_path_in_full_comes_first(world: World) -> None:
    wanted = "value.payload.pull_request.head.repo.owner.login"
    assert find(world, "payload.pull_request.head.repo.owner.login")[0] == wanted
    assert find(world, wanted)[0] == wanted
    assert find(world, wanted.upper())[0] == wanted
    assert find(world, "repository.owner.login")[0] == "value.payload.repository.owner.login"
    assert find(world, "value.items.giftContact")[0] == "value.items[].giftContact"
    assert find(world, "shop.orders")[0] == "shop.orders"


def test_typing_finds_before_the_word_is_whole(world: World) -> None:
    assert "value.customer.email" in find(world, "cust ema")
    assert "payments" in find(world, "paym")


def test_a_dataset_comes_first_while_its_name_is_typed(world: World) -> None:
    world.datasets.record_scan(scan(DatasetId(NAMESPACE, "emailings"), ["value.email", "value.x"]))
    world.search.refresh()
    assert find(world, "email")[:2] == ["value.email", "emailings"]  # what is called just so stays before it
    assert find(world, "emaili")[0] == find(world, "em")[0] == "emailings"


def test_names_are_found_as_queries_write_them(world: World) -> None:
    assert find(world, "github.payload.pull_request.title")[0] == "value.payload.pull_request.title"
    assert find(world, "shop.orders.customer.email")[0] == "value.customer.email"


def test_personal_data_of_any_kind_is_found_by_that_word(world: World) -> None:
    assert set(find(world, "pii", kind="field")) == {"value.items[].giftContact", "value.card"}
    assert find(world, "PII card", kind="field")[0] == "value.card"
    assert find(world, kind="field", entity="pii") == find(world, kind="field", entity="PII")


def test_a_group_is_named_with_or_without_its_kind(world: World) -> None:
    assert find(world, owner="team-pay", kind="dataset") == find(world, owner="group:team-pay", kind="dataset")
    assert find(world, owner="team-pay", kind="dataset") == ["payments"]


def test_a_slip_of_the_finger_is_forgiven(world: World) -> None:
    assert "payments" in find(world, "paymnets")
    assert "value.customer.email" in find(world, "custmer email")


def test_what_lacks_a_word_follows_and_says_so(world: World) -> None:
    assert find(world, "customer email")[0] == "value.customer.email"
    answer = world.search.search("customer zebra")
    assert paths(answer)[0] == "value.customer" and answer.left_out == ("zebra",)
    assert world.search.search("customer email").left_out == ()
    assert find(world, "zebra giraffe") == find(world, "!!! ???") == []


def test_fillers_are_left_out(world: World) -> None:
    answer = world.search.search("where is the customer of the order")
    assert paths(answer)[0] == "value.customer" and answer.left_out == ()


def test_other_words_for_the_same_are_found(world: World) -> None:
    assert find(world, "correo electronico")[:2] == ["value.customer.email", "value.email_address"]
    assert find(world, "merge request title")[0] == "value.payload.pull_request.title"
    assert find(world, "credit card number")[0] == "value.card"
    assert "value.payload.pull_request.title" in find(world, "pullreq title")


def test_filters_may_be_typed(world: World) -> None:
    assert find(world, "owner:otto kind:field card") == ["value.card"]
    assert find(world, "kind:field has:description") == ["value.card"]
    assert find(world, "type:string card") == ["value.card"]
    assert world.search.search("owner:otto card").filters == {"owner": ("otto",)}
    assert set(find(world, 'dataset:"payments"')) == {"payments", "value.card", "value.amount"}


def test_the_right_spelling_is_offered(world: World) -> None:
    assert world.search.search("paymnets").did_you_mean == "payments"
    assert world.search.search("payments").did_you_mean is None


def test_reasons_are_given_on_request(world: World) -> None:
    why = world.search.search("custmer email", explain=True).hits[0].why
    assert why is not None and why["held"][0] == {"needle": "custmer", "in": "path", "how": "slip", "quality": 0.42}
    assert world.search.search("email").hits[0].why is None


def test_datasets_come_with_their_best_fields(world: World) -> None:
    answer = world.search.search("email customer", grouped=True)
    assert next(hit.source["name"] for hit in answer.hits) == "shop.orders"
    first = answer.hits[0]
    assert first.source["kind"] == "dataset" and first.fields is not None
    assert first.fields[0].source["path"] == "value.customer.email"
    assert answer.total == len(answer.hits)


def test_names_are_suggested_while_one_types(world: World) -> None:
    def texts(q: str) -> list[tuple[str, str]]:
        return [(each.text, each.kind) for each in world.search.suggest(q)]

    assert texts("paym")[0] == ("payments", "dataset")
    assert ("giftContact", "field") in texts("gift")
    assert texts("") == texts("!!!") == []
    assert world.search.suggest("cust em")[0].text == "email"


def test_values_of_a_filter_are_suggested_while_it_is_typed(world: World) -> None:
    def texts(q: str) -> list[str]:
        return [f"{each.kind}:{each.text}" for each in world.search.suggest(q)]

    assert texts("owner:ot") == ["owner:otto"]
    assert texts("owner:team-p") == texts("owner:group:team-p") == ["owner:team-pay"]
    assert texts("card owner:") and set(texts("card owner:")) <= set(texts("owner:"))
    assert "entity:EMAIL_ADDRESS" in texts("entity:email")
    assert texts("has:des") == ["has:description"] and texts("type:times") == ["type:timestamp"]
    assert texts("owner:nobody") == texts("nosuchfilter:x") == []


def test_a_value_is_suggested_that_is_not_among_the_most_frequent(world: World) -> None:
    owners = [{"user": f"person.{n}@Example.org"} for n in range(70)]
    world.datasets.declare(DatasetId(NAMESPACE, "crowded"), DatasetSpec.model_validate({"owners": owners}), by="ana")
    world.search.refresh()
    for typed in ("owner:person.69", "owner:PERSON.69@ex", "crowded owner:69"):
        assert [each.text for each in world.search.suggest(typed)] == ["person.69@Example.org"], typed
    assert world.search.suggest("owner:person.*") == world.search.suggest("owner:[a-z]{") == []


def test_each_facet_is_counted_without_its_own_filter(world: World) -> None:
    whole = world.search.search("").facets
    both = world.search.search("", filters={"owner": ["otto"], "kind": ["field"]})
    assert both.total == len(both.hits) == 2 and {hit.source["name"] for hit in both.hits} == {"payments"}
    assert dict(both.facets["kind"]) == {"dataset": 1, "field": 2}
    fields = dict(whole["kind"])["field"]
    assert dict(both.facets["owner"]) == {"otto": 2, "group:team-pay": 2} and fields > 2
    assert dict(both.facets["tag"])["CREDIT_CARD"] == 1


def test_grouped_answers_go_on_after_the_first_candidates(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = world.search.search("", grouped=True, limit=100)
    names = [hit.source["name"] for hit in everything.hits]
    assert len(names) == everything.total > 2
    monkeypatch.setattr("catalog.search.service._RANKED", 2)
    pages = [world.search.search("", grouped=True, limit=1, offset=at) for at in range(everything.total)]
    assert [hit.source["name"] for page in pages for hit in page.hits] == names
    assert {page.total for page in pages} == {everything.total}


def test_a_grouped_answer_counts_the_fields_that_were_found(world: World) -> None:
    match = world.search.search("value", grouped=True, limit=100)
    counts = {hit.source["name"]: hit.matching for hit in match.hits}
    flat = world.search.search("value", filters={"kind": ["field"]}, limit=1000)
    for name, matching in counts.items():
        assert matching == (sum(hit.source["name"] == name for hit in flat.hits), True)


def test_quotes_ask_for_words_side_by_side(world: World) -> None:
    assert "value.card" in find(world, '"number on the card"')
    assert find(world, '"card the number"') == []


def test_filters_and_facets(world: World) -> None:
    assert find(world, entity="EMAIL_ADDRESS") == ["shop.orders", "value.items[].giftContact"]
    assert set(find(world, kind="field", entity="PII")) == {"value.items[].giftContact", "value.card"}
    assert set(find(world, kind="field", tag="domain.sales")) == {"value.amount", "value.card"}
    assert (
        find(world, kind="dataset", owner="otto") == find(world, kind="dataset", owner="group:team-pay") == ["payments"]
    )
    assert set(find(world, kind="dataset", namespace=NAMESPACE)) == {"github", "payments", "shop.orders"}
    assert find(world, kind="dataset", format="json") == ["github", "shop.orders"]
    answer = world.search.search("", filters={"kind": ["dataset"]})
    facets = {name: dict(counts) for name, counts in answer.facets.items()}
    assert facets["kind"] == {"dataset": 3, "field": 14}
    assert facets["entity"] == {"CREDIT_CARD": 1, "EMAIL_ADDRESS": 1, "PII": 2}
    assert facets["format"] == {"json": 2}
    with pytest.raises(InvalidInput, match="no filter 'colour'"):
        world.search.search("", filters={"colour": ["red"]})


def test_hits_have_the_agreed_shape(world: World) -> None:
    answer = world.search.search("card", filters={"kind": ["field"]})
    assert answer.total == 1
    hit = answer.hits[0]
    assert (
        hit.source.items()
        >= {
            "kind": "field",
            "namespace": NAMESPACE,
            "name": "payments",
            "path": "value.card",
            "description": "the number on the card",
            "tags": ["CREDIT_CARD"],
            "owners": ["otto", "group:team-pay"],
            "types": ["STRING"],
        }.items()
    )
    assert hit.score > 0
    assert list(hit.highlights["path"]) == ["value.<em>card</em>"]
    settled = world.search.search("settled").hits[0]
    assert list(settled.highlights["description"]) == ["Card payments, &lt;b&gt;<em>settled</em>&lt;/b&gt; nightly."]
    assert ("PII", 1) in answer.facets["entity"]


def test_pages_do_not_overlap(world: World) -> None:
    everything = find(world)
    pages = [paths(world.search.search("", limit=4, offset=n)) for n in range(0, 20, 4)]
    assert [path for page in pages for path in page] == everything and len(everything) == 17
    assert world.search.search("", limit=0).total == 17
    with pytest.raises(InvalidInput, match="10,000"):
        world.search.search("", limit=100, offset=9_950)
    with pytest.raises(InvalidInput):
        world.search.search("", limit=5_000)


@pytest.mark.parametrize(
    "q",
    [
        "x " * 2500,
        "x" * 5000,
        'a" OR name:* AND (',
        '"unfinished',
        "\\ / + - = && || > < ! ( ) { } [ ] ^ ~ * ? :",
        "value.`a.b`",
        "\x00\ud800",
        "🦀 客户 ñ",
        '{"query": {"match_all": {}}}',
        "a.b." * 1250,
    ],
)
def test_odd_queries_are_answered(world: World, q: str) -> None:
    answer = world.search.search(q)
    assert answer.total == len(answer.hits) < 17, "everything is not an answer"


def test_a_rescan_with_fewer_fields_leaves_nothing_behind(world: World) -> None:
    github = DatasetId(NAMESPACE, "github")
    world.datasets.record_scan(scan(github, ["value.only"], complete=True))
    world.search.refresh()
    assert find(world, "login") == []
    assert find(world, "only", kind="field") == ["value.only"]
    world.datasets.record_scan(scan(github, [f"value.f{n}" for n in range(20)], complete=True))
    world.search.refresh()
    assert len(find(world, kind="field", namespace=NAMESPACE)) == 9 + 20


def test_what_the_index_missed_is_caught_up(world: World) -> None:
    world.store.put_dataset(world.datasets.get(DatasetId(NAMESPACE, "github")))  # written past the service
    world.store.put_dataset(world.datasets._new(DatasetId(NAMESPACE, "unseen_topic"), world.clock()))
    assert world.search.reindex_dirty() == 2
    world.search.refresh()
    assert find(world, "unseen") == ["unseen_topic"]
    assert world.search.reindex_dirty() == 0


def test_a_late_writer_does_not_undo_a_newer_state(world: World) -> None:
    github = world.datasets.get(DatasetId(NAMESPACE, "github"))
    old = entries(github, world.datasets.schema(github.id), [], [], {})
    world.datasets.record_scan(scan(github.id, ["value.newest"], complete=True))
    world.index.write(old, [])
    world.search.refresh()
    assert find(world, "newest", kind="field") == ["value.newest"]


def test_a_rebuild_holds_the_same_and_drops_strays(world: World) -> None:
    before = find(world)
    stray = DatasetId(NAMESPACE, "stray")
    world.datasets.record_scan(scan(stray, ["value.strange"]))
    world.store.rename_namespace(NAMESPACE, "kafka://elsewhere:1")
    assert world.search.rebuild_search() == 4
    world.search.refresh()
    assert sorted(find(world)) == sorted([*before, "stray", "value.strange"])
    assert find(world, kind="dataset", namespace=NAMESPACE) == []
    assert world.search.reindex_dirty() == 0


def test_a_failed_rebuild_leaves_the_old_index(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    before = find(world)

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(world.search, "_entries", broken)
    with pytest.raises(ZeroDivisionError):
        world.search.rebuild_search()
    assert find(world) == before


def test_reviews_and_removals_reach_search(world: World) -> None:
    orders = DatasetId(NAMESPACE, "shop.orders")
    world.datasets.review(orders, "value.items[].giftContact", "EMAIL_ADDRESS", ReviewState.REJECTED, "no", "petra")
    world.search.refresh()
    assert find(world, entity="EMAIL_ADDRESS") == []
    world.index.forget(dataset_key(orders))
    world.search.refresh()
    assert "shop.orders" not in find(world, kind="dataset")


def test_more_used_datasets_come_first(world: World) -> None:
    world.datasets.record_scan(scan(DatasetId(NAMESPACE, "aaa_rate"), []))
    world.datasets.record_scan(scan(DatasetId(NAMESPACE, "zzz_rate"), []))
    world.store.add_usage(DatasetId(NAMESPACE, "zzz_rate"), 500)
    world.search.rebuild_search()
    world.search.refresh()
    assert find(world, "rate", kind="dataset") == ["zzz_rate", "aaa_rate"]


@pytest.mark.slow
def test_ten_thousand_fields_are_indexed(world: World) -> None:
    wide = DatasetId(NAMESPACE, "wide")
    world.datasets.record_scan(scan(wide, [profile(f"value.block_{n // 100}.column_{n}") for n in range(10_000)]))
    world.search.refresh()
    assert find(world, "block_77.column_7777")[0] == "value.block_77.column_7777"
    assert world.search.search("column", filters={"kind": ["field"]}).total == 10_000


def test_labels_and_the_stamp_follow_what_is_written(world: World) -> None:
    labels, stamp = dict(world.index.labels(100)), world.index.stamp()
    assert labels["customer email"] == 1 and "payments card payments b settled b nightly" in labels
    assert world.index.stamp() == stamp and len(world.index.labels(2)) == 2
    world.datasets.record_scan(scan(DatasetId(NAMESPACE, "more"), ["value.brand.new"]))
    world.search.refresh()
    assert world.index.stamp() != stamp and "brand new" in dict(world.index.labels(100))


def test_what_is_near_in_meaning_is_found(world: World, index: SearchIndex) -> None:
    class Near:
        def vectors(self, texts: list[str]) -> object:
            import numpy as np

            return np.array([[1.0, 0.0] if {"login", "handle"} & set(text.split()) else [0.0, 1.0] for text in texts])

    search = Search(world.store, index, world.clusters, Near())  # type: ignore[arg-type]
    search.warm()
    assert any(path.endswith("owner.login") for path in paths(search.search("handle", limit=100)))
    answer = search.search("handle", filters={"kind": ["dataset"]})
    assert all(hit.source["kind"] == "dataset" for hit in answer.hits)


@pytest.mark.integration
def test_garbage_of_the_local_server_is_not_counted_as_memory_in_use(stack: Any) -> None:
    """Its collector leaves garbage until the heap is full; counted, it made the server refuse every request for ever."""
    with httpx.Client(base_url=stack.elasticsearch, timeout=30) as client:
        (node,) = client.get("/_nodes/stats/breaker,jvm").json()["nodes"].values()
    limit, heap = node["breakers"]["parent"]["limit_size_in_bytes"], node["jvm"]["mem"]["heap_max_in_bytes"]
    assert limit / heap == pytest.approx(0.7, abs=0.02)
