"""Decisions on stream views and requests for them: nobody gets more than on the sources without their owners' word."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from catalog.errors import NotAllowed
from catalog.model import DatasetId
from policies.access_request import AccessRequest, RequestState
from policies.model import DatasetFacts, Effect, FieldFacts, Mask, MaskType, SourceFacts, SourceField, SubjectMatch
from tests.unit.policies.world import ORDERS, START, World, company

EMAIL = "value.customer.email"


def view(name: str = "prod/mails", *sources: SourceFacts, owner: str | None = None) -> DatasetFacts:
    owners = SubjectMatch(users=frozenset({owner} if owner else ()))
    given = sources or (SourceFacts("prod/orders", ORDERS, (SourceField("value.mail", EMAIL),)),)
    fields = (FieldFacts("value.mail", {}), FieldFacts("value.n"))
    return DatasetFacts(DatasetId("kafka://x", name), name, fields, owners=owners, sources=given, generation="1-a")


@pytest.fixture
def world() -> World:
    world = company()
    world.declare(
        ("Role", "mails", {"read": [{"dataset": "prod/mails"}, {"dataset": "prod/above"}], "inherits": ["analyst"]}),
        ("User", "ana", {"roles": ["mails"]}),
    )
    return world


def ask(world: World, facts: DatasetFacts, user: str = "ana") -> AccessRequest:
    known: Any = world.approvals._facts
    known.known[facts.reference] = facts
    return world.approvals.create(world.user(user), facts.reference, ["*"], purpose="campaign")


def test_a_view_shows_no_more_than_its_source(world: World) -> None:
    """Ana reads orders with the e-mail masked; a view whose tag was lost shows it."""
    facts = view()
    assert world.state.decide(world.user("ana"), replace(facts, sources=())).effect is Effect.ALLOW
    decision = world.state.decide(world.user("ana"), facts)
    assert decision.effect is Effect.DENY
    assert any("mail shows prod/orders" in reason.text for reason in decision.reasons)
    harmless = view("prod/mails", SourceFacts("prod/orders", ORDERS, (SourceField("value.n", "value.amount"),)))
    assert world.state.decide(world.user("ana"), harmless).effect is Effect.ALLOW


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (SourceFacts("prod/gone", None), "not in the catalog any more"),
        (SourceFacts("prod/above", view("prod/above")), "which you may not read"),
    ],
)
def test_a_source_that_is_gone_or_a_view_that_is_denied(world: World, source: SourceFacts, reason: str) -> None:
    decision = world.state.decide(world.user("ana"), view("prod/mails", source))
    assert decision.effect is Effect.DENY and any(reason in each.text for each in decision.reasons)


def test_the_owners_of_the_sources_approve(world: World) -> None:
    """The view's own owner alone cannot open what is otto's."""
    between = view("prod/above")
    facts = view(
        "prod/mails", SourceFacts("prod/above", between, (SourceField("value.mail", "value.mail"),)), owner="grace"
    )
    request = ask(world, facts)
    assert [stage.name for stage in request.stages][-1] == "owner of prod/orders"
    assert AccessRequest.from_json(request.to_json()).stages == request.stages
    while request.state is RequestState.PENDING:
        people = world.approvals.deciders.people(request, facts)
        if request.current.approvers.of:
            assert "otto" in people and "grace" not in people
            with pytest.raises(NotAllowed):
                world.approvals.approve(world.user("grace"), request.id)
        request = world.approvals.approve(
            world.user(next(p for p in ("otto", "grace", *people) if p in people)), request.id
        )
    assert request.state is RequestState.APPROVED
    decision = world.state.decide(world.user("ana"), facts, "campaign")
    assert decision.effect is Effect.ALLOW
    assert world.state.decide(world.user("ana"), facts, "another purpose").effect is Effect.DENY


def test_a_grant_of_a_part_does_not_open_the_rest(world: World) -> None:
    """A role opens the view's columns; what a grant does not name is as closed as at the source."""
    facts = view()
    for fields, rows, effect in (
        (["value.n"], None, Effect.DENY),
        (["value.mail"], None, Effect.DENY),
        (["*"], "n = 1", Effect.DENY),
        (["value.n", "value.mail"], None, Effect.ALLOW),
    ):
        spec = {
            "subject": {"user": "ana"},
            "status": "approved",
            "dataset": "prod/mails",
            "fields": fields,
            "purpose": "campaign",
            "sources": ["prod/orders"],
            "validFrom": (START - timedelta(days=1)).isoformat(),
            "validTo": (START + timedelta(days=1)).isoformat(),
        }
        world.declare(("Grant", "some", {**spec, **({"rows": rows} if rows else {})}))
        assert world.state.decide(world.user("ana"), facts, "campaign").effect is effect, (fields, rows)


@pytest.mark.parametrize(
    ("mask", "effect"),
    [
        (None, Effect.DENY),
        (Mask("MASK_SHOW_FIRST_4"), Effect.DENY),  # the source shows ana a hash
        (Mask("MASK_HASH"), Effect.ALLOW),
        (Mask(MaskType.MASK_NULL), Effect.ALLOW),
        (Mask(MaskType.CUSTOM, "substr({col}, 1, 2)"), Effect.DENY),
    ],
)
def test_what_the_view_has_hides_as_much_as_the_source_does(world: World, mask: Mask | None, effect: Effect) -> None:
    facts = view("prod/mails", SourceFacts("prod/orders", ORDERS, (SourceField("value.mail", EMAIL, mask),)))
    assert world.state.decide(world.user("ana"), facts).effect is effect


def test_one_masked_part_does_not_hide_another(world: World) -> None:
    """The struct shows its e-mail; that its phone is masked hides nothing of it."""
    flows = (SourceField("value.who.mail", EMAIL), SourceField("value.who.phone", "value.attributes{contact}"))
    fields = (FieldFacts("value.who", {}), FieldFacts("value.who.phone", {"EMAIL_ADDRESS": "here"}))
    facts = replace(view("prod/mails", SourceFacts("prod/orders", ORDERS, flows)), fields=fields)
    decision = world.state.decide(world.user("ana"), facts)
    assert decision.effect is Effect.DENY and not decision.columns and not decision.filters
    assert any("who.mail shows prod/orders" in each.text for each in decision.reasons)


def test_a_grant_opens_what_it_was_approved_for(world: World) -> None:
    """Of the very view, for the topics it came from then: not of a pattern, and not when it comes from more."""
    spec = {
        "subject": {"user": "ana"},
        "status": "approved",
        "fields": ["*"],
        "purpose": "campaign",
        "validFrom": (START - timedelta(days=1)).isoformat(),
        "validTo": (START + timedelta(days=1)).isoformat(),
    }
    facts = view()
    for dataset, sources, effect in (
        ("prod/mails", [], Effect.DENY),
        ("prod/*", ["prod/orders"], Effect.DENY),
        ("prod/mails", ["prod/payments"], Effect.DENY),
        ("prod/mails", ["prod/orders", "prod/payments"], Effect.ALLOW),
    ):
        world.declare(("Grant", "g", {**spec, "dataset": dataset, "sources": sources}))
        assert world.state.decide(world.user("ana"), facts, "campaign").effect is effect, (dataset, sources)


def test_breaking_the_glass_of_a_view_asks_the_workflows_of_its_topics(world: World) -> None:
    known: Any = world.approvals._facts
    known.known["prod/mails"] = view("prod/mails", SourceFacts("prod/above", view("prod/above")))
    with pytest.raises(NotAllowed, match="personal-data has no breakGlass"):
        world.approvals.emergency.use(world.user("ana"), "prod/mails", purpose="incident", reason="4711")
    known.known["prod/mails"] = view("prod/mails", SourceFacts("prod/gone", None))
    with pytest.raises(NotAllowed, match="prod/gone"):
        world.approvals.emergency.use(world.user("ana"), "prod/mails", purpose="incident", reason="4711")
