"""The dataset record: scans, reviews, declarations and listings meet here."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from catalog.declared.cluster_specs import ClusterSpec
from catalog.declared.dataset_specs import DatasetSpec
from catalog.errors import DatasetNotFound, InvalidInput, NotFound, Unavailable
from catalog.model import Classification, DatasetId, FieldProfile, Owner, ReviewState
from catalog.records import DatasetFilter, FieldNote, Source
from catalog.topics import ClusterDescription, PartitionOffsets, TopicFacts
from tests.catalog_samples import NAMESPACE, ORDERS, World, email, profile, scan

EMAIL = "value.email"


@pytest.fixture
def world() -> World:
    world = World()
    world.datasets.register_cluster(
        "prod", ClusterSpec(bootstrapServers="localhost:9092"), ClusterDescription("id-1", ("localhost:9092",))
    )
    return world


def states(world: World) -> dict[tuple[str, str], str]:
    return {c.key: str(c.state) for c in world.datasets.classifications(ORDERS)}


def test_a_first_scan_makes_version_one(world: World) -> None:
    schema = world.datasets.record_scan(scan(ORDERS, ["key", EMAIL], [email(EMAIL)]))
    record = world.datasets.get(ORDERS)
    assert (schema.version, schema.created_at is not None) == (1, True)
    assert (record.cluster, record.reference, record.format["value"]) == ("prod", "prod/orders", "json")
    assert record.scan["records"] == 1000 and record.scanned_at is not None
    assert world.datasets.schema(ORDERS) == schema
    assert states(world) == {(EMAIL, "EMAIL_ADDRESS"): "suggested"}
    assert world.search.search("email", filters={"kind": ["field"]}).hits[0].source["path"] == EMAIL


def test_versions_come_only_of_changes_that_matter(world: World) -> None:
    world.datasets.record_scan(scan(ORDERS, ["key", profile(EMAIL, 0.5)]))
    same = world.datasets.record_scan(scan(ORDERS, ["key", profile(EMAIL, 0.58)]))
    assert same.version == 1 and world.datasets.schema(ORDERS).fields[1].presence == 0.58
    # Drift is measured from where the version began, so that it cannot creep by unseen.
    crept = world.datasets.record_scan(scan(ORDERS, ["key", profile(EMAIL, 0.65)]))
    assert crept.version == 2
    added = world.datasets.record_scan(scan(ORDERS, ["key", profile(EMAIL, 0.65), "value.new"]))
    assert added.version == 3
    assert [s.baseline.version for s in world.datasets.schemas(ORDERS)] == [3, 2, 1]
    diff = world.datasets.diff(ORDERS)
    assert (diff.before, diff.after) == (2, 3)
    assert [(c.change, c.path) for c in diff.changes] == [("added", "value.new")]
    assert diff.compatibility.to_json() == {"backward": False, "forward": True, "full": False}
    assert world.datasets.diff(ORDERS, 1, 1).changes == ()
    assert world.datasets.schema(ORDERS, 1).version == 1
    with pytest.raises(NotFound, match="versions go from 1 to 3"):
        world.datasets.schema(ORDERS, 9)


def test_a_scan_that_read_nothing_forgets_nothing(world: World) -> None:
    world.datasets.record_scan(scan(ORDERS, ["key", EMAIL], [email(EMAIL)]))
    again = world.datasets.record_scan(scan(ORDERS, [], records=0))
    assert again.version == 1 and len(again.fields) == 2
    assert states(world) == {(EMAIL, "EMAIL_ADDRESS"): "suggested"}


def test_an_empty_topic_has_no_version_yet(world: World) -> None:
    assert world.datasets.record_scan(scan(ORDERS, [], records=0)).version == 0
    assert world.datasets.schema(ORDERS).version == 0
    with pytest.raises(NotFound, match="no schema yet"):
        world.datasets.diff(ORDERS)
    assert world.datasets.record_scan(scan(ORDERS, ["value.a"])).version == 1


def test_a_suggestion_outlives_a_sample_and_ends_with_a_full_read(world: World) -> None:
    world.datasets.record_scan(scan(ORDERS, [EMAIL], [email(EMAIL)]))
    world.datasets.record_scan(scan(ORDERS, [EMAIL]))
    assert states(world) == {(EMAIL, "EMAIL_ADDRESS"): "suggested"}
    world.datasets.record_scan(scan(ORDERS, [EMAIL], complete=True, unscanned=["value"]))
    assert states(world) == {(EMAIL, "EMAIL_ADDRESS"): "suggested"}
    world.datasets.record_scan(scan(ORDERS, [EMAIL], complete=True))
    assert states(world) == {}


def test_confirmed_never_vanishes(world: World) -> None:
    world.datasets.record_scan(scan(ORDERS, [EMAIL], [email(EMAIL)]))
    world.datasets.review(ORDERS, EMAIL, "EMAIL_ADDRESS", ReviewState.CONFIRMED, None, "petra")
    world.datasets.record_scan(scan(ORDERS, ["value.other"], complete=True))
    assert states(world) == {(EMAIL, "EMAIL_ADDRESS"): "confirmed"}
    kept = world.datasets.classifications(ORDERS)[0]
    assert (kept.reviewed_by, kept.source) == ("petra", Source.REVIEW)


def test_a_rejection_sticks_until_another_recognizer_comes(world: World) -> None:
    world.datasets.record_scan(scan(ORDERS, [EMAIL], [email(EMAIL)]))
    world.datasets.review(ORDERS, EMAIL, "EMAIL_ADDRESS", ReviewState.REJECTED, "test data", "petra")
    world.datasets.record_scan(scan(ORDERS, [EMAIL], [email(EMAIL, 99)], complete=True))
    assert states(world) == {(EMAIL, "EMAIL_ADDRESS"): "rejected"}
    assert world.datasets.facts(ORDERS).fields[0].tags == {}
    world.datasets.record_scan(scan(ORDERS, [EMAIL], [email(EMAIL, recognizer="NewRecognizer")]))
    back = world.datasets.classifications(ORDERS)[0]
    assert back.state is ReviewState.SUGGESTED and "NewRecognizer" in (back.reason or "")


def test_reviews_need_something_to_review(world: World) -> None:
    world.datasets.record_scan(scan(ORDERS, [EMAIL]))
    with pytest.raises(NotFound, match="no classification PERSON"):
        world.datasets.review(ORDERS, EMAIL, "PERSON", ReviewState.REJECTED, None, "petra")
    with pytest.raises(InvalidInput):
        world.datasets.review(ORDERS, "nonsense", "PERSON", ReviewState.CONFIRMED, None, "petra")
    for entity in ("two words", "PERSON\u200b", "P" * 1000):
        with pytest.raises(InvalidInput, match="a tag is one word"):
            world.datasets.review(ORDERS, EMAIL, entity, ReviewState.CONFIRMED, None, "petra")
    added = world.datasets.review(ORDERS, EMAIL, "PERSON", ReviewState.CONFIRMED, "names too", "petra")
    assert added.state is ReviewState.CONFIRMED
    withdrawn = world.datasets.review(ORDERS, EMAIL, "PERSON", ReviewState.SUGGESTED, None, "petra")
    assert withdrawn.state is ReviewState.SUGGESTED


def test_what_is_declared_is_confirmed_and_goes_with_the_declaration(world: World) -> None:
    spec = DatasetSpec.model_validate(
        {
            "description": "Orders",
            "owners": [{"user": "otto"}, {"group": "team"}],
            "tags": ["domain.sales"],
            "format": {"value": "avro"},
            "fields": [
                {"path": EMAIL, "tags": ["EMAIL_ADDRESS"]},
                {"path": "key", "tags": ["PERSON"], "terms": ["who"]},
            ],
        }
    )
    world.datasets.record_scan(scan(ORDERS, [EMAIL], [email(EMAIL)]))
    world.datasets.declare(ORDERS, spec, "otto")
    record = world.datasets.get(ORDERS)
    assert record.owners == (Owner("user", "otto"), Owner("group", "team"))
    assert record.format == {"key": "string", "value": "avro"}
    assert states(world) == {(EMAIL, "EMAIL_ADDRESS"): "confirmed", ("key", "PERSON"): "confirmed"}
    world.datasets.record_scan(scan(ORDERS, [EMAIL], complete=True))
    assert len(states(world)) == 2
    world.datasets.declare(ORDERS, DatasetSpec.model_validate({}), "otto")
    assert states(world) == {(EMAIL, "EMAIL_ADDRESS"): "suggested"}
    assert world.datasets.notes(ORDERS) == [] and world.datasets.get(ORDERS).owners == ()


def test_facts_cover_every_leaf_with_its_evidence(world: World) -> None:
    fields: list[FieldProfile | str] = [
        "key",
        profile("value.customer", object=1.0),
        "value.customer.email",
        "value.free",
        "headers.trace",
    ]
    world.datasets.record_scan(scan(ORDERS, fields, [email("value.customer.email")], unscanned=["value.free"]))
    facts = world.datasets.facts(ORDERS)
    assert {f.path: f.classified for f in facts.fields} == {
        "headers.trace": True,
        "key": True,
        "value.customer.email": True,
        "value.free": False,
    }
    tags = {f.path: dict(f.tags) for f in facts.fields}
    assert tags["value.customer.email"] == {"EMAIL_ADDRESS": "98% of 100 values, suggested"}
    world.datasets.declare(ORDERS, DatasetSpec.model_validate({"schema": {"spark": "free STRING, extra INT"}}), None)
    declared = {f.path: f.classified for f in world.datasets.facts(ORDERS).fields}
    assert declared["value.free"] and declared["value.extra"]


def test_a_term_gives_its_tags_and_those_of_its_parents(world: World) -> None:
    from catalog.records import DeclaredDocument

    world.store.put_document(DeclaredDocument("GlossaryTerm", "contact", {}, {"tags": ["PII"], "parent": "loop"}))
    world.store.put_document(DeclaredDocument("GlossaryTerm", "loop", {}, {"parent": "contact"}))
    world.store.put_document(
        DeclaredDocument("GlossaryTerm", "mail", {}, {"tags": ["EMAIL_ADDRESS"], "parent": "contact"})
    )
    spec = {"fields": [{"path": "value.m", "terms": ["mail"]}], "terms": ["contact"]}
    world.datasets.declare(ORDERS, DatasetSpec.model_validate(spec), None)
    facts = world.datasets.facts(ORDERS)
    assert facts.fields[0].tags == {"EMAIL_ADDRESS": "term mail", "PII": "term mail"}
    assert facts.tags == {"PII"}


def test_a_new_term_looks_at_its_carriers_alone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """With thousands of datasets of lineage, asking for the notes of each made applying a term take ten seconds."""
    from catalog.apply.apply import Action, Change
    from catalog.apply.handlers import GlossaryTermHandler
    from catalog.records import DeclaredDocument

    for name, parent in (("contact", None), ("mail", "contact"), ("other", None)):
        spec = {"parent": parent} if parent else {}
        world.store.put_document(DeclaredDocument("GlossaryTerm", name, {}, spec))
    for n in range(20):
        world.datasets.declare(DatasetId(NAMESPACE, f"plain{n}"), DatasetSpec.model_validate({}), None)
    carrier, stranger = DatasetId(NAMESPACE, "carrier"), DatasetId(NAMESPACE, "stranger")
    noted = {"fields": [{"path": "value.m", "terms": ["mail"]}]}
    world.datasets.declare(carrier, DatasetSpec.model_validate(noted), None)
    world.datasets.declare(stranger, DatasetSpec.model_validate({"terms": ["other"]}), None)
    looked: list[DatasetId] = []
    notes = world.store.notes

    def looking(dataset: DatasetId) -> Sequence[FieldNote]:
        looked.append(dataset)
        return notes(dataset)

    monkeypatch.setattr(world.store, "notes", looking)
    before = {each: world.datasets.get(each).revision for each in (carrier, stranger)}
    handler = GlossaryTermHandler(world.store, lambda: None, world.search)  # type: ignore[arg-type, return-value]
    handler.settle([Change("GlossaryTerm", "contact", Action.UPDATE)])
    after = {each: world.datasets.get(each).revision for each in (carrier, stranger)}
    assert after[carrier] > before[carrier] and after[stranger] == before[stranger]
    assert not [each for each in looked if each.name.startswith("plain")]


def test_tagged_finds_every_kind_of_personal_data(world: World) -> None:
    detections = [
        email(EMAIL),
        Classification("value.at", "DATE_TIME", 0.9),
        Classification("value.w", "domain.x", 0.9),
    ]
    world.datasets.record_scan(scan(ORDERS, [EMAIL, "value.at", "value.w"], detections))
    assert [r.path for _, r in world.datasets.tagged("PII")] == [EMAIL]
    assert [r.path for _, r in world.datasets.tagged("domain.x")] == ["value.w"]


def topic(name: str) -> TopicFacts:
    return TopicFacts(name, 2, offsets=(PartitionOffsets(0, 0, 5), PartitionOffsets(1, 2, 4)), retention_ms=1000)


def test_listings_show_what_is_new_gone_and_back(world: World) -> None:
    world.datasets.declare(DatasetId(NAMESPACE, "planned"), DatasetSpec.model_validate({}), None)
    first = world.datasets.record_topics("prod", [topic("a"), topic("b")])
    assert (first.new, first.gone) == (("a", "b"), ())
    assert world.datasets.get(DatasetId("prod", "a")).topic["retained"] == 7
    before = world.datasets.get(DatasetId("prod", "b"))
    second = world.datasets.record_topics("prod", [topic("b")])
    after = world.datasets.get(DatasetId("prod", "b"))
    assert after.revision == before.revision and after.last_seen_at != before.last_seen_at
    assert (second.new, second.gone) == ((), ("a",))
    assert [d.id.name for d in world.datasets.page(DatasetFilter(cluster="prod")).items] == ["b", "planned"]
    assert world.search.search("", filters={"kind": ["dataset"]}).total == 2
    third = world.datasets.record_topics("prod", [topic("a"), topic("b")])
    assert (third.new, third.gone) == (("a",), ())
    assert world.datasets.get(DatasetId("prod", "a")).deleted_at is None


def test_a_failed_scan_is_kept_as_a_gap(world: World) -> None:
    world.datasets.record_scan_failure(ORDERS, "Topic orders could not be read.")
    assert world.datasets.get(ORDERS).scan["error"]["message"] == "Topic orders could not be read."
    world.datasets.record_scan(scan(ORDERS, [EMAIL]))
    assert "error" not in world.datasets.get(ORDERS).scan


def test_names_that_are_near_are_offered(world: World) -> None:
    world.datasets.record_scan(scan(ORDERS, [EMAIL]))
    with pytest.raises(DatasetNotFound, match="prod/orders"):
        world.datasets.get(DatasetId(NAMESPACE, "ordres"))
    with pytest.raises(DatasetNotFound, match="did you mean prod/orders"):
        world.datasets.find("ordrs")


class AwayIndex:
    """A search server that is down."""

    def __getattr__(self, name: str) -> object:
        def away(*_: object, **__: object) -> None:
            raise Unavailable("The search server does not answer.")

        return away


def test_the_record_is_written_while_search_is_away() -> None:
    world = World(index=AwayIndex())  # type: ignore[arg-type]
    world.datasets.record_scan(scan(ORDERS, [EMAIL], [email(EMAIL)]))
    assert len(states(world)) == 1
    with pytest.raises(Unavailable):
        world.search.search("email")
    with pytest.raises(Unavailable):
        world.search.reindex_dirty()
    back = World(store=world.store)
    back.index.ensure()
    assert back.search.reindex_dirty() == 1
    assert back.search.search("email", filters={"kind": ["field"]}).total == 1
    assert back.search.reindex_dirty() == 0


def test_search_is_told_only_after_the_commit(world: World) -> None:
    notices: list[Sequence[DatasetId]] = []
    world.datasets._index = type("Spy", (), {"changed": lambda self, ids: notices.append(list(ids))})()
    with pytest.raises(ZeroDivisionError), world.store.transaction():
        world.datasets.record_scan(scan(ORDERS, [EMAIL]))
        raise ZeroDivisionError
    assert notices == []
    with world.store.transaction():
        world.datasets.record_scan(scan(ORDERS, [EMAIL]))
        assert notices == []
    assert notices == [[ORDERS]]


def test_names_in_another_letter_case(world: World) -> None:
    for name in ("orders", "Mails", "mails"):
        world.datasets.record_scan(scan(DatasetId(ORDERS.namespace, name), ["key"]))
    for text in ("ORDERS", "Prod.Orders", "prod/ORDERS", "orders"):
        assert world.datasets.find_in_any_case(text).name == "orders"
    assert world.datasets.find_in_any_case("Mails").name == "Mails", "the exact name goes first"
    with pytest.raises(InvalidInput, match="prod/Mails, prod/mails"):
        world.datasets.find_in_any_case("MAILS")
    with pytest.raises(DatasetNotFound, match="did you mean prod/orders"):
        world.datasets.find_in_any_case("ORDRES")
    with pytest.raises(DatasetNotFound):
        world.datasets.find("ORDERS")  # who may read what is decided on exact names
