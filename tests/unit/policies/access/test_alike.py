"""Grouping people who are alike never changes an answer: it equals deciding on each person alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.model import DatasetId
from catalog.paths import FieldPath
from policies.access.alike import Alike
from policies.access.identity import Identity
from policies.access.who_has_access import WhoHasAccess
from policies.access.who_has_access import principals as who_principals
from policies.decision.places import Places
from policies.declared.state import GovernanceState
from policies.effective.dataset_access import KINDS, DatasetAccess
from policies.effective.moment import Moments
from policies.effective.people import principals
from policies.effective.shown import NOTHING, Summaries
from policies.matching import dataset_matches, is_active
from policies.model import DatasetFacts, Effect, FieldFacts, SourceFacts, SourceField, Subject, SubjectMatch
from tests.twins.policies.stores import MemoryFacts, MemoryPolicyStore, MemoryTokenStore
from tests.unit.policies.world import ORDERS, PAYMENTS, START

USERS = [f"u{i}" for i in range(6)]
GROUPS = [f"g{i}" for i in range(3)]
ROLES = [f"r{i}" for i in range(4)]
VIEW = DatasetFacts(
    DatasetId("weir", "seen"),
    "prod/seen",
    (FieldFacts("value.mail", {"EMAIL_ADDRESS": ""}), FieldFacts("value.n")),
    sources=(SourceFacts("prod/orders", ORDERS, (SourceField("value.mail", "value.customer.email"),)),),
)
DATASETS = {each.reference: each for each in (ORDERS, PAYMENTS, VIEW)}

some_users, some_groups, some_roles = (
    st.lists(st.sampled_from(names), max_size=3, unique=True) for names in (USERS, GROUPS, [*ROLES, "not-declared"])
)
people = st.one_of(
    st.fixed_dictionaries({"users": some_users, "groups": some_groups, "roles": some_roles}),
    st.sampled_from(USERS).map(lambda n: {"users": [n]}),
    st.sampled_from(GROUPS).map(lambda n: {"groups": [n]}),
    st.sampled_from(ROLES).map(lambda n: {"roles": [n]}),
)
patterns = st.sampled_from(["prod/orders", "prod/payments", "prod/seen", "prod/*", "other/x", "*"])
wheres = st.sampled_from(["region = 'EU'", "amount > 5"])
paths = st.sampled_from(
    [["*"], ["EMAIL_ADDRESS"], ["PII"], ["value.customer"], ["value.mail"], ["value.card", "value.n"]]
)
purposes = st.sampled_from(["fraud", "campaign"])


def subjects(everyone: bool, named: dict[str, Any], exempt: dict[str, Any] | None, by: list[str]) -> dict[str, Any]:
    about: dict[str, Any] = (
        {"everyone": True} if everyone or not any(named.values()) else named
    )  # a policy names somebody
    return {"subjects": about, **({"except": {**exempt, "purposes": by}} if exempt is not None else {})}


roles = st.fixed_dictionaries(
    {
        "read": st.lists(
            st.one_of(
                patterns.map(lambda p: {"dataset": p}),
                st.just({"tag": "domain.sales"}),
                st.just({"dataset": "prod/orders", "path": "value.customer"}),
            ),
            max_size=2,
        ),
        "inherits": st.lists(st.sampled_from([*ROLES, "reader", *ROLES, *ROLES, "missing"]), max_size=1),
        "rowFilters": st.lists(st.builds(lambda d, w: {"dataset": d, "where": w}, patterns, wheres), max_size=1),
        "seesUnscanned": st.booleans(),
    }
)
policies = st.one_of(
    st.builds(
        lambda tags, mask, who: {"type": "mask", "match": {"tags": tags}, "mask": {"type": mask}, **who},
        st.sampled_from([["PII"], ["EMAIL_ADDRESS"]]),
        st.sampled_from(["MASK", "MASK_HASH", "MASK_NULL"]),
        st.builds(subjects, st.booleans(), people, st.none() | people, st.lists(purposes, max_size=1)),
    ),
    st.builds(
        lambda dataset, where, who: {"type": "row-filter", "match": {"datasets": [dataset]}, "where": where, **who},
        patterns,
        wheres,
        st.builds(subjects, st.booleans(), people, st.none() | people, st.lists(purposes, max_size=1)),
    ),
    st.builds(
        lambda dataset, named: {"type": "access", "match": {"datasets": [dataset]}, "requires": {"purpose": named}},
        st.sampled_from(["prod/payments", "prod/seen"]),
        st.lists(purposes, min_size=1, max_size=2, unique=True),
    ),
)
grants = st.builds(
    lambda who, dataset, fields, unmask, rows, purpose, lasts: {
        "subject": who,
        "dataset": dataset,
        "fields": fields,
        "unmask": unmask,
        "rows": rows,
        "purpose": purpose,
        "validFrom": START.isoformat(),
        "validTo": (START + timedelta(days=lasts)).isoformat(),
        "status": "approved",
    },
    st.one_of(
        st.sampled_from(USERS).map(lambda n: {"user": n}),
        st.sampled_from(GROUPS).map(lambda n: {"group": n}),
        st.sampled_from(ROLES).map(lambda n: {"role": n}),
    ),
    patterns,
    paths,
    paths,
    st.none() | wheres,
    purposes,
    st.sampled_from([1, 9]),
)
worlds = st.fixed_dictionaries(
    {
        "users": st.fixed_dictionaries(
            {
                n: st.fixed_dictionaries({"roles": some_roles, "groups": some_groups, "disabled": st.booleans()})
                for n in USERS[:5]
            }
        ),
        "groups": st.fixed_dictionaries(
            {n: st.fixed_dictionaries({"members": some_users, "roles": some_roles}) for n in GROUPS[:2]}
        ),
        "roles": st.fixed_dictionaries(dict.fromkeys(ROLES, roles)),
        "readers": st.lists(st.sampled_from(USERS), min_size=2, max_size=6, unique=True),
        "policies": st.lists(policies, max_size=4),
        "grants": st.lists(grants, max_size=4),
        "owners": st.builds(
            lambda u, g: SubjectMatch(users=frozenset(u), groups=frozenset(g)), some_users, some_groups
        ),
    }
)


def declared(world: dict[str, Any]) -> GovernanceState:
    state = GovernanceState(MemoryPolicyStore(), lambda: START + timedelta(days=2))
    state.put("Role", "reader", {}, {"read": [{"dataset": "*"}]})
    for kind in ("users", "groups", "roles"):
        for name, spec in world[kind].items():
            state.put({"users": "User", "groups": "Group", "roles": "Role"}[kind], name, {}, spec)
    for name in world["readers"]:
        spec = world["users"].get(name, {"roles": []})
        state.put("User", name, {}, {**spec, "roles": [*spec["roles"], "reader"]})
    for number, spec in enumerate(world["policies"]):
        state.put("Policy", f"p{number}", {}, spec)
    for number, spec in enumerate(world["grants"]):
        state.put("Grant", f"grant{number}", {}, spec)
    return state


@settings(max_examples=200, deadline=None)
@given(
    worlds,
    st.sampled_from(sorted(DATASETS)),
    st.sampled_from([None, "value.customer.email", "value.mail", "value.card"]),
)
def test_a_list_by_kinds_of_people_equals_deciding_on_each_person(
    world: dict[str, Any], reference: str, field: str | None
) -> None:
    facts = replace(DATASETS[reference], owners=world["owners"])
    known = {f.path for f in facts.fields}
    field = field if field in known else None
    state = declared(world)
    state.put("User", "boss", {}, {"roles": ["admin"]})
    moments = Moments(state, MemoryFacts(facts), lambda: START + timedelta(days=2))
    service = DatasetAccess(moments, Identity(MemoryTokenStore(), state, moments.clock))
    listing = service.of(Subject("boss", roles=frozenset({"admin"})), reference, field, None, KINDS)

    view, now = state.view(), moments.clock()
    alike = Alike(view, facts, now)
    expected = []
    about = {facts.reference, *facts.topics}  # of another purpose no grant counts, so stating it only takes away
    for who in principals(view, facts, alike.grants, {}, KINDS):
        one = Summaries(listing.place, {g.name: (g.valid_to, g.purpose) for g in alike.grants})
        mine = [g for g in view.grants_of(who.subject) if is_active(g, now)]
        stated = {g.purpose for g in mine if any(dataset_matches(g.dataset, r) for r in about)}
        met: set[object] = set()
        for purpose in (None, *sorted(stated)):
            shown = one.of(view.decide(who.subject, facts, purpose, now))
            if shown.shows != NOTHING and shown.what not in met:
                met.add(shown.what)
                expected.append((who.kind, who.name, purpose, shown))
    assert [(e.who.kind, e.who.name, e.purpose, e.shown) for e in listing.entries] == expected
    assert listing.decided <= len(list(principals(view, facts, alike.grants, {}, KINDS)))
    assert sum(listing.totals.values()) == len(list(principals(view, facts, alike.grants, {}, ("user",))))


def _alone(
    view: Any, kind: str, name: str, subject: Subject, facts: DatasetFacts, place: str | None
) -> list[tuple[Any, ...]]:
    """What one principal may read, decided on alone, purpose by purpose."""
    now = START + timedelta(days=2)
    results: list[tuple[Any, ...]] = []
    active = [g for g in view.grants_of(subject) if is_active(g, now)]
    for purpose in (None, *view.stated(active)):
        decision = view.decide(subject, facts, purpose, now)
        columns = decision.columns if place is None else Places(decision.columns).deciding(FieldPath.parse(place))
        shown = [c for c in columns if c.effect is Effect.ALLOW]
        if decision.effect is not Effect.ALLOW or (not shown and (place is not None or decision.columns)):
            continue
        masks = [str(c.mask.type) for c in shown if c.mask is not None]
        via = dict.fromkeys(
            "owner" if r.kind == "owner" else f"{r.kind} {r.name}"
            for r in ([r for c in shown for r in c.reasons] if shown else decision.reasons)
            if r.kind in ("role", "owner", "grant") and r.name != "rows"
        )
        ends = [g.valid_to for g in view.grants.values() if f"grant {g.name}" in via]
        what = (
            bool(shown) and len(masks) == len(shown),
            next(iter(masks), None),
            tuple(via),
            tuple(f.where for f in decision.filters),
        )
        if what not in [each[4:] for each in results]:
            results.append((kind, name, purpose, min(ends, default=None), *what))
    return results


@settings(max_examples=200, deadline=None)
@given(
    worlds,
    st.sampled_from(sorted(DATASETS)),
    st.sampled_from([None, "value.customer.email", "value.mail", "value.card", "value"]),
)
def test_who_has_access_equals_deciding_on_each_alone(world: dict[str, Any], reference: str, field: str | None) -> None:
    facts = replace(DATASETS[reference], owners=world["owners"])
    state = declared(world)
    view, now = state.view(), START + timedelta(days=2)
    access = WhoHasAccess(view, facts, now, unscanned_is_sensitive=True)
    got = access.at(FieldPath.parse(field) if field else None)
    expected = [
        each
        for kind, name, subject in who_principals(view, facts, now)
        for each in _alone(view, kind, name, subject, facts, field)
    ]
    assert sorted(map(repr, ((a.kind, a.subject, a.purpose, a.until, a.masked, a.mask, a.via, a.rows) for a in got))) == sorted(
        map(repr, expected)
    )  # fmt: skip
    assert [(a.kind != "user", a.kind, a.subject) for a in got] == sorted(
        (a.kind != "user", a.kind, a.subject) for a in got
    )
