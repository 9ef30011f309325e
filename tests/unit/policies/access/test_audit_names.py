"""What an audit entry can be found by is bounded, and what it is about is found however long its name is."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from policies.audit.names import (
    FIELD,
    INSIDE,
    LONGEST_NAME,
    MOST_FIELD_NAMES,
    fields_left_out,
    names_of,
    wanted_names,
)
from policies.audit.ports import AuditEntry, AuditFilter
from tests.unit.policies.world import World

LONG = "value." + "é" * 4000


def entry(
    action: str = "query", target: str = "prod/orders", reasons: tuple[str, ...] = (), **details: Any
) -> AuditEntry:
    return AuditEntry(1, datetime(2026, 1, 1, tzinfo=UTC), "ana", action, target, "allow", reasons, details, "", "h")


def found(what: AuditEntry | frozenset[tuple[str, str]], **where: Any) -> bool:
    names = names_of(what) if isinstance(what, AuditEntry) else what
    return all(not names.isdisjoint(wanted) for wanted in wanted_names(AuditFilter(**where)))


def test_a_query_over_thousands_of_deep_fields_makes_a_bounded_number_of_names() -> None:
    paths = [f"value.a{n}.b.c.d" for n in range(3000)]
    of = entry(fields={"prod/orders": paths})
    names = names_of(of)
    assert len(names) < MOST_FIELD_NAMES + 20
    left = fields_left_out(of)
    assert 0 < left < 3000 and fields_left_out(entry(fields={"prod/orders": paths[:10]})) == 0
    # What is not indexed by its own name is found by every field of its dataset: nothing is missed.
    assert all(found(names, field=path) for path in paths)
    assert all(found(names, field=path, dataset="prod/orders") for path in paths)
    assert not found(names, field=paths[0], dataset="prod/other")


def test_a_field_of_thousands_of_levels_makes_a_bounded_number_of_names() -> None:
    deep = ".".join(["value", *["a"] * 5000])
    of = entry(fields={"prod/orders": [deep, "value.n"]})
    assert len(names_of(of)) < MOST_FIELD_NAMES + 20
    assert found(of, field=deep) and found(of, field="value.n") and found(of, field="value.a")


@pytest.mark.parametrize("where", [{"field": LONG}, {"field": LONG, "dataset": "prod/orders"}, {"field": "value"}])
def test_long_names_are_kept_short_and_found(where: dict[str, str]) -> None:
    of = entry(fields={"prod/orders": [LONG]})
    assert max(len(text) for _, text in names_of(of)) <= LONGEST_NAME
    assert found(of, **where) and not found(of, field=LONG + "x")


def test_long_names_of_people_datasets_and_grants_are_found() -> None:
    long = "x" * 5000
    of = entry(target="prod/" + long, grants=[long], users=[long])
    assert max(len(text) for _, text in names_of(of)) <= LONGEST_NAME
    assert found(of, person=long) and found(of, grant=long) and found(of, dataset="prod/" + long)
    assert not found(of, grant=long + "y")


def test_a_used_field_is_not_named_again_as_what_another_is_in() -> None:
    names = names_of(entry(fields={"prod/orders": ["value.a", "value.a.b"]}))
    assert (FIELD, "value.a") in names and (INSIDE, "value.a") not in names


def test_a_page_states_which_entries_every_field_finds() -> None:
    world = World()
    world.audit.record("ana", "query", "prod/orders", details={"fields": {"prod/orders": ["value.n"]}})
    assert world.audit.list(AuditFilter(field="value.n")).note is None
    paths = [f"value.a{n}.b.c.d" for n in range(3000)]
    world.audit.record("ana", "query", "prod/orders", details={"fields": {"prod/orders": paths}})
    page = world.audit.list(AuditFilter(field="value.n"))
    assert len(page.entries) == 2 and "1 of these entries used more fields than are indexed" in (page.note or "")
    assert world.audit.list(AuditFilter(person="ana")).note is None
