"""The catalog's facts in the policies' words."""

from __future__ import annotations

from dataclasses import replace

from catalog.datasets import facts as catalog_facts
from catalog.model import DatasetId, Owner
from policies.facts import FactsMemory
from policies.model import DatasetFacts, FieldFacts, SubjectMatch

GIVEN = catalog_facts.DatasetFacts(
    DatasetId("kafka://x:1", "orders"),
    "prod/orders",
    (catalog_facts.FieldFacts("value.email", {"EMAIL_ADDRESS": "98%"}), catalog_facts.FieldFacts("value.x", {}, False)),
    frozenset({"domain.sales"}),
    (Owner("user", "otto"), Owner("group", "team")),
)


def test_facts_are_converted_whole() -> None:
    assert FactsMemory().convert(GIVEN) == DatasetFacts(
        GIVEN.id,
        "prod/orders",
        (FieldFacts("value.email", {"EMAIL_ADDRESS": "98%"}), FieldFacts("value.x", {}, False)),
        frozenset({"domain.sales"}),
        SubjectMatch(users=frozenset({"otto"}), groups=frozenset({"team"})),
    )


def test_equal_facts_give_the_same_object_and_changed_ones_another() -> None:
    memory = FactsMemory()
    first = memory.convert(GIVEN)
    assert memory.convert(replace(GIVEN)) is first
    tagged = replace(GIVEN, fields=(catalog_facts.FieldFacts("value.email", {"PERSON": ""}),))
    assert memory.convert(tagged).fields[0].tags == {"PERSON": ""}
    assert memory.convert(GIVEN) is not first
