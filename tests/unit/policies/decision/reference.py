"""The reference decider: what `policies.decision.decide` must answer, written in the plainest way and by brute force.

It knows nothing of indexes, groups or condition algebra. A condition on rows is a name, a world defines which of them are
true in a row, and every question is answered by trying all worlds. Only the vocabulary is shared with the product:
the model, paths, which tags are personal data. How strict a mask is has a table of its own here.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from functools import lru_cache
from operator import itemgetter

from catalog.entities import is_personal
from catalog.paths import VALUES, FieldPath, StepKind
from policies.model import (
    AccessPolicy,
    DatasetFacts,
    Effect,
    Grant,
    GrantStatus,
    Mask,
    MaskPolicy,
    MaskType,
    Policy,
    Role,
    RowPolicy,
    Subject,
    SubjectMatch,
    Target,
)
from policies.personal_data import is_personal_dataset

World = Mapping[str, bool]
Test = Callable[[World], bool]


@dataclass(frozen=True)
class Column:
    """`shown`: for every world whose row is visible, in order: `"clear"` or the mask."""

    effect: Effect
    shown: tuple[object, ...] = ()


@dataclass(frozen=True)
class Answer:
    effect: Effect
    columns: Mapping[str, Column]
    visible: tuple[bool, ...] = ()
    grants: frozenset[str] = frozenset()
    expires: datetime | None = None
    hidden: frozenset[str] = frozenset()


@dataclass
class Field:
    path: FieldPath
    tags: set[str]
    unscanned: bool


NOTHING = Answer(Effect.DENY, {})


@lru_cache(100_000)
def lower(path: FieldPath) -> FieldPath:
    text = ""
    for step in path.steps:
        text += str(step).lower()  # the names in these worlds are ASCII
    return FieldPath.parse(path.root + text)


def answer(
    subject: Subject,
    facts: DatasetFacts,
    roles: Mapping[str, Role],
    policies: Sequence[Policy],
    grants: Sequence[Grant],
    purpose: str | None,
    now: datetime,
    unscanned_is_sensitive: bool,
    conditions: Sequence[str],
) -> Answer:
    worlds = [
        dict(zip(conditions, values, strict=True))
        for values in itertools.product([True, False], repeat=len(conditions))
    ]
    role_names: set[str] = set()
    while True:
        more = subject.roles | {up for name in role_names if name in roles for up in roles[name].inherits}
        if more <= role_names:
            break
        role_names |= more
    for name in role_names & set(roles):
        if roles[name].problem or any(up not in roles for up in roles[name].inherits):
            return NOTHING

    def me(match: SubjectMatch) -> bool:
        return bool(
            match.everyone or subject.user in match.users or subject.groups & match.groups or role_names & match.roles
        )

    def here(pattern: str | None) -> bool:
        return pattern is None or fnmatchcase(facts.reference, pattern)

    active = [
        g
        for g in grants
        if g.status is GrantStatus.APPROVED and g.valid_from <= now < g.valid_to and me(g.subject) and here(g.dataset)
    ]
    mine = [g for g in active if purpose is None or g.purpose == purpose]
    fields = all_fields(facts, policies, here, unscanned_is_sensitive)

    def selects(entries: Sequence[str], field: Field) -> bool:
        for entry in entries:
            if entry == "*" or entry in field.tags:
                return True
            if entry == "PII" and any(is_personal(t) for t in field.tags if t != "UNSCANNED"):
                return True
            if entry.startswith(("value", "key", "headers")) and FieldPath.parse(entry).contains(field.path):
                return True
        return False

    def about(target: Target, field: Field) -> bool:
        if not here(target.dataset):
            return False
        if target.tag is not None and target.tag not in field.tags | facts.tags:
            personal = any(map(is_personal, field.tags)) or any(map(is_personal_dataset, facts.tags))
            if not (target.tag == "PII" and personal):
                return False
        return target.path is None or reaches(lower(FieldPath.parse(target.path)), field, fields)

    if unscanned_is_sensitive:
        for field in other_keys(fields, policies, about):
            field.unscanned = True
            field.tags.add("UNSCANNED")

    used: set[str] = set()
    columns: dict[str, tuple[Test, list[tuple[Mask, Test]]] | None] = {}
    hidden: set[str] = set()
    for field in fields:
        covering = [g for g in mine if selects(g.fields, field)]
        steps: list[Test] = []
        uses: set[str] = set()
        needed = [
            p
            for p in policies
            if isinstance(p, AccessPolicy) and (p.grant or p.purposes) and any(about(t, field) for t in p.match)
        ]
        name = str(field.path)
        columns[name] = None
        for policy in needed:
            fit = [g for g in covering if not policy.purposes or (purpose == g.purpose and purpose in policy.purposes)]
            steps.append(in_some(fit))
            uses |= {g.name for g in fit}
            if not fit:
                break
        else:
            if not needed and not standing(subject, role_names, roles, facts, here, field):
                steps.append(in_some(covering))
                uses |= {g.name for g in covering}
            if any(step(dict.fromkeys(conditions, True)) for step in steps) or not steps:
                masks = masks_of(field, me, policies, about, covering, selects, purpose, uses)
                if masks is None:  # no policy speaks of this field to this subject
                    masks = []
                    if field.unscanned and not any(roles[r].sees_unscanned for r in role_names & set(roles)):
                        lifting = [g for g in covering if selects(g.unmask, field)]
                        uses |= {g.name for g in lifting}
                        masks.append((Mask(MaskType.MASK_NULL), in_some(lifting)))
                        hidden.add(name)
                columns[name] = (lambda world, steps=steps: all(s(world) for s in steps)), masks  # type: ignore[misc]
                used |= uses
    opened = [c for c in columns.values() if c is not None]
    if not opened and (fields or not standing(subject, role_names, roles, facts, here, None)):
        return NOTHING
    filters = row_filters(facts, role_names, roles, policies, here, me, fields, purpose, mine, used)

    def visible(world: World) -> bool:
        return all(f(world) for f in filters) and (not opened or any(opens(world) for opens, _ in opened))

    seen = [w for w in worlds if visible(w)]
    result = {name: show(column, worlds, seen) for name, column in columns.items()}
    ends = [g.valid_to for g in active if g.name in used]
    return Answer(
        Effect.ALLOW, result, tuple(map(visible, worlds)), frozenset(used), min(ends, default=None), frozenset(hidden)
    )


def in_some(grants: Sequence[Grant]) -> Test:
    return lambda world: any(g.rows is None or world[g.rows] for g in grants)


def show(
    column: tuple[Test, list[tuple[Mask, Test]]] | None, worlds: list[dict[str, bool]], seen: list[dict[str, bool]]
) -> Column:
    if column is None:
        return Column(Effect.DENY)
    opens, masks = column
    left = [(m, lifted) for m, lifted in masks if m.type is not MaskType.MASK_NONE and not all(map(lifted, worlds))]
    fallback = [m for m, _ in left]
    if not all(map(opens, seen)):
        fallback.append(Mask(MaskType.MASK_NULL))
    clear = [opens(w) and all(lifted(w) for _, lifted in left) for w in seen]
    mask = hardest(fallback) if fallback else None
    if any(clear) and mask is not None and mask.type is MaskType.DROP:
        mask = Mask(MaskType.MASK_NULL)  # a field is there in every row, or in none
    return Column(Effect.ALLOW, tuple("clear" if shows else mask for shows in clear))


# From what hides least to what hides most, written out once more: not to be read from the product.
HIDES = [
    "MASK_NONE",
    "GENERALIZE",
    "TRUNCATE_GEO",
    "TRUNCATE_IP",
    "EMAIL_DOMAIN",
    "MASK_DATE_SHOW_YEAR",
    "MASK_SHOW_FIRST_4",
    "MASK_SHOW_LAST_4",
    "TOKEN",
    "MASK_HASH",
    "MASK",
    "MASK_NULL",
    "DROP",
]


def hides_more(one: Mask, other: Mask) -> bool:
    """Whether one of two masks, neither an expression, hides more than the other."""
    if one.type != other.type:
        return HIDES.index(one.type) > HIDES.index(other.type)
    if one.type == "GENERALIZE":
        return int(one.params.get("step", 10)) > int(other.params.get("step", 10))
    if one.type == "TRUNCATE_GEO":
        return int(one.params.get("decimals", 1)) < int(other.params.get("decimals", 1))
    return False


def hardest(masks: list[Mask]) -> Mask:
    """An expression holds alone; beside any other mask nothing shows, and DROP stays what it is."""
    if all(m == masks[0] for m in masks):
        return masks[0]
    if any(m.type is MaskType.CUSTOM for m in masks):
        return Mask(MaskType.DROP if any(m.type is MaskType.DROP for m in masks) else MaskType.MASK_NULL)
    first = [m for m in masks if not any(hides_more(other, m) for other in masks)]
    return first[0] if all(m == first[0] for m in first) else Mask(MaskType.MASK)


def all_fields(
    facts: DatasetFacts, policies: Sequence[Policy], here: Callable[[str | None], bool], unscanned_is_sensitive: bool
) -> list[Field]:
    fields = []
    for known in facts.fields:
        unscanned = unscanned_is_sensitive and not known.classified
        fields.append(
            Field(FieldPath.parse(known.path), set(known.tags) | ({"UNSCANNED"} if unscanned else set()), unscanned)
        )
    named = {f.path for f in fields} | {
        FieldPath.parse(target.path)
        for policy in policies
        for target in policy.match
        if target.path is not None and not isinstance(policy, RowPolicy) and here(target.dataset)
    }
    # Every known field below {} is known below every key that anything names, until nothing is new.
    grows = True
    while grows:
        grows = False
        for path, field in itertools.product(sorted(named), list(fields)):
            for number, step in enumerate(path.steps):
                if step.kind is not StepKind.MAP_KEY or number >= len(field.path.steps):
                    continue
                map_of_path, map_of_field = (
                    FieldPath(path.root, path.steps[:number]),
                    FieldPath(field.path.root, field.path.steps[:number]),
                )
                if field.path.steps[number].kind is not StepKind.VALUES:
                    continue
                if not lower(map_of_field).contains(lower(map_of_path)):
                    continue
                key = FieldPath(field.path.root, (*field.path.steps[:number], step, *field.path.steps[number + 1 :]))
                if lower(key) not in [lower(f.path) for f in fields]:
                    fields.append(Field(key, set(field.tags), field.unscanned))
                    grows = True
    own = [(lower(f.path), set(f.tags)) for f in fields]
    for field in fields:
        for path, tags in own:
            if path.contains(lower(field.path)) and path != lower(field.path):
                field.tags |= tags - {"UNSCANNED"}
    return fields


def other_keys(fields: list[Field], policies: Sequence[Policy], about: Callable[[Target, Field], bool]) -> list[Field]:
    """Values of maps beside one key with a kind of personal data, or a mask, that they do not have themselves."""

    def secrets(field: Field) -> set[str]:
        masks = [p for p in policies if isinstance(p, MaskPolicy) and p.mask.type is not MaskType.MASK_NONE]
        return {t for t in field.tags if t != "UNSCANNED" and is_personal(t)} | {
            p.name for p in masks if any(about(t, field) for t in p.match)
        }

    maps = []
    for keyed in fields:
        for number, step in enumerate(keyed.path.steps):
            if step.kind is not StepKind.MAP_KEY:
                continue
            around = lower(FieldPath(keyed.path.root, keyed.path.steps[:number]))
            values = FieldPath(keyed.path.root, (*keyed.path.steps[:number], VALUES, *keyed.path.steps[number + 1 :]))
            if secrets(keyed) - {s for f in fields if lower(f.path) == lower(values) for s in secrets(f)}:
                maps.append(around)
    others = []
    for field in fields:
        for number, step in enumerate(field.path.steps):
            around = lower(FieldPath(field.path.root, field.path.steps[:number]))
            if step == VALUES and any(m.contains(around) or around.contains(m) for m in maps if same_depth(m, around)):
                others.append(field)
                break
    return others


def same_depth(one: FieldPath, other: FieldPath) -> bool:
    return len(one.steps) == len(other.steps)


def reaches(wanted: FieldPath, field: Field, fields: list[Field]) -> bool:
    if any(wanted.contains(lower(f.path)) for f in fields):
        return wanted.contains(lower(field.path))
    mine = lower(field.path)
    if not mine.contains(wanted):
        return False
    closer = [lower(f.path) for f in fields if lower(f.path).contains(wanted)]
    return not any(len(c.steps) == len(mine.steps) and mine.contains(c) and c != mine for c in closer)


def standing(
    subject: Subject,
    role_names: set[str],
    roles: Mapping[str, Role],
    facts: DatasetFacts,
    here: Callable[[str | None], bool],
    field: Field | None,
) -> bool:
    if subject.user in facts.owners.users or subject.groups & facts.owners.groups:
        return True
    for name in role_names & set(roles):
        for target in roles[name].read:
            if target.dataset is None and target.tag is None:
                continue
            if not here(target.dataset) or (target.tag is not None and target.tag not in facts.tags):
                continue
            if target.path is None or field is None or FieldPath.parse(target.path).contains(field.path):
                return True
    return False


def masks_of(
    field: Field,
    me: Callable[[SubjectMatch], bool],
    policies: Sequence[Policy],
    about: Callable[[Target, Field], bool],
    covering: list[Grant],
    selects: Callable[[Sequence[str], Field], bool],
    purpose: str | None,
    uses: set[str],
) -> list[tuple[Mask, Test]] | None:
    spoken = False
    masks = []
    for policy in policies:
        if not isinstance(policy, MaskPolicy) or not any(about(t, field) for t in policy.match):
            continue
        if not me(policy.subjects) and purpose not in policy.subjects.purposes:
            continue
        spoken = True
        if me(policy.exempt):
            continue
        lifting = [
            g
            for g in covering
            if selects(g.unmask, field) or (purpose is not None and purpose in policy.exempt.purposes)
        ]
        uses |= {g.name for g in lifting}
        masks.append((policy.mask, in_some(lifting)))
    return masks if spoken else None


def row_filters(
    facts: DatasetFacts,
    role_names: set[str],
    roles: Mapping[str, Role],
    policies: Sequence[Policy],
    here: Callable[[str | None], bool],
    me: Callable[[SubjectMatch], bool],
    fields: list[Field],
    purpose: str | None,
    mine: list[Grant],
    used: set[str],
) -> list[Test]:
    filters: list[Test] = []
    for name in role_names & set(roles):
        filters += [itemgetter(f.where) for f in roles[name].row_filters if here(f.dataset)]
    tags = set(facts.tags).union(*(f.tags for f in fields))
    if any(is_personal(t) for f in fields for t in f.tags) or any(map(is_personal_dataset, facts.tags)):
        tags.add("PII")
    for policy in policies:
        if not isinstance(policy, RowPolicy):
            continue
        if not any(here(t.dataset) and (t.tag is None or t.tag in tags) for t in policy.match):
            continue
        if (not me(policy.subjects) and purpose not in policy.subjects.purposes) or me(policy.exempt):
            continue
        lifting = (
            [g for g in mine if "*" in g.fields] if purpose is not None and purpose in policy.exempt.purposes else []
        )
        used |= {g.name for g in lifting}
        filters.append(lambda world, p=policy, lifting=lifting: world[p.where] or in_some(lifting)(world))  # type: ignore[misc]
    return filters
