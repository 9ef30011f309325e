"""Approval in part: never more than was requested, by any approver, in any order."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import InvalidInput
from catalog.paths import FieldPath
from policies.access_request import AccessRequest, RequestState
from policies.matching import selection
from policies.model import UNSCANNED_TAG, DatasetFacts, Effect, FieldFacts
from policies.requests.narrowing import Part, narrowed, within
from tests.unit.policies.world import ORDERS, START, World, company

EMAIL, NAME = "value.customer.email", "value.customer.name"
PATHS = [
    "value",
    "value.a",
    "value.a.b",
    "value.a.b.c",
    "value.a.d",
    "value.m{}",
    "value.m{k}",
    "value.m{k}.x",
    "value.l[]",
    "value.l[].y",
    "key",
    "headers.h",
]
TAGS = ["EMAIL_ADDRESS", "PERSON", "internal"]
ENTRIES = st.lists(st.sampled_from([*PATHS, *TAGS, "PII", "*", UNSCANNED_TAG]), min_size=1, max_size=4, unique=True)


@st.composite
def datasets(draw: st.DrawFn) -> DatasetFacts:
    paths = draw(st.lists(st.sampled_from(PATHS[1:]), min_size=1, max_size=8, unique=True))
    fields = tuple(
        FieldFacts(
            p, dict.fromkeys(draw(st.lists(st.sampled_from(TAGS), max_size=2, unique=True)), "x"), draw(st.booleans())
        )
        for p in paths
    )
    return replace(ORDERS, fields=fields)


def opened(entries: tuple[str, ...], facts: DatasetFacts) -> set[str]:
    chosen = selection(entries)
    return {
        f.path
        for f in facts.fields
        if chosen.covers(FieldPath.parse(f.path), (*f.tags, *(() if f.classified else (UNSCANNED_TAG,))))
    }


def request(fields: list[str], unmask: list[str]) -> AccessRequest:
    return AccessRequest(
        "req-1",
        "ana",
        "prod/orders",
        tuple(fields),
        tuple(unmask),
        "p",
        START,
        START + timedelta(days=9),
        START,
        START + timedelta(days=9),
        (),
    )


@given(datasets(), ENTRIES, ENTRIES, st.none() | ENTRIES, st.none() | st.just([]) | ENTRIES, st.integers(-2, 12))
def test_a_part_opens_and_unmasks_no_more_than_was_requested(
    facts: DatasetFacts, fields: list[str], unmask: list[str], left: Any, clear: Any, days: int
) -> None:
    whole = request(fields, unmask)
    part = Part(
        tuple(left) if left is not None else None,
        tuple(clear) if clear is not None else None,
        START + timedelta(days=days) if days != 9 else None,
    )
    try:
        created = narrowed(whole, part, facts, START)
    except InvalidInput:
        return
    assert opened(created.fields, facts) <= opened(whole.fields, facts)
    shown = opened(created.unmask, facts) & opened(created.fields, facts)
    assert shown <= opened(whole.unmask, facts) & opened(whole.fields, facts)
    assert START < created.valid_to <= whole.valid_to
    assert created.asked in (None, whole.terms)


@given(datasets(), datasets(), ENTRIES, st.sampled_from([*PATHS, *TAGS, "PII", "*"]))
def test_within_holds_for_fields_that_come_later(
    facts: DatasetFacts, later: DatasetFacts, requested: list[str], entry: str
) -> None:
    """Of what was requested by path, whatever tags fields get; of tags, at the moment of approval."""
    if not within(entry, tuple(requested), facts):
        return
    assert opened((entry,), facts) <= opened(tuple(requested), facts)
    if entry in PATHS and all(each in PATHS for each in requested):
        assert opened((entry,), later) <= opened(tuple(requested), later)


@pytest.fixture
def world() -> World:
    return company()


def ask(world: World, **more: Any) -> AccessRequest:
    given: dict[str, Any] = {"fields": [EMAIL, NAME], "purpose": "campaign"}
    return world.approvals.create(world.user("ana"), "prod/orders", **(given | more))


def test_two_approvers_narrow_one_after_another(world: World) -> None:
    until = START + timedelta(days=10)
    created = ask(world, valid_to=until)
    by_owner = world.approvals.approve(world.user("otto"), created.id, "", Part(fields=(EMAIL,)))
    assert by_owner.state is RequestState.PENDING and by_owner.fields == by_owner.unmask == (EMAIL,)
    assert AccessRequest.from_json(by_owner.to_json()) == by_owner
    for more in (Part(fields=(NAME,)), Part(fields=("*",)), Part(valid_to=until + timedelta(seconds=1))):
        with pytest.raises(InvalidInput):
            world.approvals.approve(world.user("petra"), created.id, "", more)
    shorter = START + timedelta(days=2)
    done = world.approvals.approve(world.user("petra"), created.id, "", Part(unmask=(), valid_to=shorter))
    assert done.state is RequestState.APPROVED and done.asked is not None and done.asked.valid_to == until
    assert [v.narrowed is not None for v in done.votes] == [True, True]
    grant = world.state.view().grants[done.grant or ""]
    assert (grant.fields, grant.unmask, grant.valid_to) == ((EMAIL,), (), shorter)
    decision = world.state.decide(world.user("ana"), ORDERS)
    column = decision.column(EMAIL)
    assert decision.effect is Effect.ALLOW and column is not None and column.mask is not None


def test_a_part_that_is_the_whole_is_no_approval_in_part(world: World) -> None:
    created = ask(world)
    done = world.approvals.approve(world.user("otto"), created.id, "", Part(fields=(EMAIL, NAME)))
    assert done.asked is None and done.votes[0].narrowed is None


def test_asking_again_for_the_first_wish_gives_the_narrowed_request(world: World) -> None:
    created = ask(world, reason="r")
    world.approvals.approve(world.user("otto"), created.id, "", Part(fields=(EMAIL,)))
    assert ask(world, reason="r").id == created.id


def test_emergency_access_is_reviewed_as_a_whole(world: World) -> None:
    spec = {
        "match": {"tags": ["PII"]},
        "stages": [{"name": "owner", "approvers": {"owners": True}}],
        "breakGlass": {
            "subjects": {"users": ["ana"]},
            "maxDuration": "2h",
            "review": {"users": ["petra"]},
            "reviewWithin": "1d",
        },
    }
    world.declare(("Workflow", "personal-data", spec))
    used = world.approvals.emergency.use(world.user("ana"), "prod/orders", [EMAIL], purpose="p", reason="4711")
    with pytest.raises(InvalidInput, match="as a whole"):
        world.approvals.approve(world.user("petra"), used.id, "", Part(unmask=()))
