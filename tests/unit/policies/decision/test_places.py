"""Looking up the decided rule of a place: nearest first, several inside, keys of maps."""

from __future__ import annotations

from catalog.paths import FieldPath
from policies.decision.places import Places, Rule
from policies.model import ColumnDecision, Effect, Mask, MaskType

NULL, DROP, LAST = Mask(MaskType.MASK_NULL), Mask(MaskType.DROP), Mask("MASK_SHOW_LAST_4")


def places(**decided: Mask | str | tuple[Mask, str] | None) -> Places:
    """{path: mask | None unmasked | "deny" | (mask, clear_when)}; `_` means nothing."""
    decisions = []
    for path, what in decided.items():
        mask, when = what if isinstance(what, tuple) else (what, None)
        effect = Effect.DENY if mask == "deny" else Effect.ALLOW
        decisions.append(ColumnDecision(path, effect, mask if isinstance(mask, Mask) else None, when))
    return Places(decisions)


def rule(of: Places, path: str) -> Rule:
    return of.rule(FieldPath.parse(path))


def test_what_nobody_decided_is_left_out() -> None:
    assert rule(places(), "value.a") == Rule(DROP) == rule(places(**{"value.b": None}), "value.a")


def test_the_nearest_counts_alone() -> None:
    near = places(**{"value": NULL, "value.a": LAST, "value.a.b": None, "value.c": "deny"})
    assert rule(near, "value.a.b") == rule(near, "value.a.b.x") == Rule(None)
    assert rule(near, "value.a.z") == Rule(LAST) and rule(near, "value.z") == Rule(NULL)
    assert rule(near, "value.c.x") == Rule(DROP)
    assert rule(places(**{"value.m{}": LAST, "value.m{k}": None}), "value.m{k}") == Rule(None)
    assert rule(places(**{"value.m{}": LAST, "value.m{k}": None}), "value.m{j}") == Rule(LAST)
    assert rule(places(**{"value.m{}": LAST, "value.m{k}": None}), "value.m{k}.x") == Rule(None)


def test_two_that_are_equally_near_count_both() -> None:
    both = places(**{"value.m{k}": NULL, "value.m{}.x": None, "value.m{}": None})
    assert rule(both, "value.m{k}.x") == Rule(NULL) and rule(both, "value.m{j}.x") == Rule(None)
    crossed = places(**{"value.m{a}.n{}": LAST, "value.m{}.n{b}": NULL})
    assert rule(crossed, "value.m{a}.n{b}") == Rule(NULL) and rule(crossed, "value.m{a}.n{c}") == Rule(LAST)
    same = Places([ColumnDecision("value.a", Effect.ALLOW, LAST), ColumnDecision("value.`a`", Effect.ALLOW, NULL)])
    assert rule(same, "value.a") == Rule(NULL)


def test_masks_of_nothing_are_no_masks() -> None:
    assert rule(places(**{"value.a": Mask(MaskType.MASK_NONE)}), "value.a") == Rule(None)
    assert rule(
        places(**{"value.a": None, "value.a.b": Mask(MaskType.MASK_NONE), "value.a.c": None}), "value.a"
    ) == Rule(None)
    assert rule(places(**{"value.a": Mask(MaskType.MASK_NONE), "value.a.b": LAST}), "value.a") == Rule(NULL)


def test_what_is_inside_hides_the_whole() -> None:
    assert rule(places(**{"value.a": None, "value.a.b": LAST}), "value.a") == Rule(NULL)
    assert rule(places(**{"value.a.b": LAST}), "value.a") == Rule(NULL)
    assert rule(places(**{"value.a": LAST, "value.a.b": None}), "value.a") == Rule(LAST)
    assert rule(places(**{"value.a": LAST, "value.a.b": Mask(MaskType.CUSTOM, "{col}")}), "value.a") == Rule(NULL)
    assert rule(places(**{"value.a": None, "value.a.b": "deny"}), "value.a") == Rule(DROP)
    assert rule(places(**{"value.a": None, "value.a.b": DROP}), "value.a") == Rule(DROP)


def test_it_is_clear_where_all_of_it_is() -> None:
    one = places(**{"value.a": (LAST, "r1")})
    assert rule(one, "value.a") == Rule(LAST, ("r1",))
    two = places(**{"value.a": None, "value.a.b": (LAST, "r1"), "value.a.c": (DROP, "r2"), "value.a.d": (LAST, "r1")})
    assert rule(two, "value.a") == Rule(NULL, ("r1", "r2")), "what is left out of some rows is NULL there"
    assert rule(places(**{"value.a": (DROP, "r1")}), "value.a") == Rule(NULL, ("r1",))
    several: dict[str, Mask | tuple[Mask, str]] = {"value.a": (LAST, "r1"), "value.a.b": LAST}
    assert rule(places(**several), "value.a") == Rule(NULL)


def names(of: Places, path: str) -> list[str]:
    return [d.path for d in of.deciding(FieldPath.parse(path))]


def test_what_a_place_rests_on() -> None:
    some = places(**{"value.a": LAST, "value.a.b": None, "value.a.c": None, "value.d": None, "value": None})
    assert names(some, "value.a.b") == ["value.a.b"] and names(some, "value.a.z") == ["value.a"]
    assert names(some, "value.a") == ["value.a", "value.a.b", "value.a.c"]
    assert names(some, "value") == ["value.a", "value.a.b", "value.a.c", "value.d", "value"]
    assert names(some, "key") == []
    keys = places(**{"value.m{}": None, "value.m{k}": LAST, "value.m{k}.x": None, "value.n{k}": None})
    assert names(keys, "value.m{}") == ["value.m{}", "value.m{k}", "value.m{k}.x"]
    assert names(keys, "value.m{k}") == ["value.m{k}", "value.m{k}.x"] and names(keys, "value.m{j}") == ["value.m{}"]
    only = places(**{"value.m{k}": LAST})
    assert names(only, "value.m{}") == ["value.m{k}"] and names(only, "value.m{j}") == []


def test_headers_and_keys_with_rules_of_their_own() -> None:
    some = places(
        **{
            "headers.b": None,
            "headers.a": NULL,
            "headers": None,
            "value.m{z}.n{y}": None,
            "value.m{a}": None,
            "value.o{q}": None,
        }
    )
    assert some.headers() == ["a", "b"]
    assert some.keys_below(FieldPath.parse("value.m")) == ["a", "z"]
    assert some.keys_below(FieldPath.parse("value.m{z}.n")) == ["y"]
    assert some.keys_below(FieldPath.parse("value.m{}.n")) == ["y"]
    assert some.keys_below(FieldPath.parse("value.m{a}.n")) == [] == some.keys_below(FieldPath.parse("value"))
    whole = places(**{"value{k}": LAST, "value{}": None})
    assert whole.keys_below(FieldPath.parse("value")) == ["k"] and names(whole, "value{}") == ["value{k}", "value{}"]
    assert some.keys_below(FieldPath.parse("value.m{a}")) == [], "a key is not below itself"
    empty = places(**{"value.m{``}": None, "headers.``": None})
    assert empty.keys_below(FieldPath.parse("value.m")) == [""] == empty.headers()
    wide = places(**{"value.m{}.n{y}": None})
    assert wide.keys_below(FieldPath.parse("value.m{k}.n")) == ["y"]


def test_whether_values_of_a_map_are_decided_as_such() -> None:
    def on(path: str, *decided: str) -> bool:
        return places(**dict.fromkeys(decided)).on_values(FieldPath.parse(path))

    assert on("value.m{}", "value.m{}") and on("value.m{}", "value") and on("value.m{}", "value.m{}.x")
    assert not on("value.m{}", "value.m{k}") and not on("value.m{}", "value.m{k}.x")
    assert not on("value.m{}", "value.m@keys") and not on("value.m{}")
    assert on("value.m{}", "value.m{k}.x", "value.m{}.y")
    assert on("value.a.m{}", "value.a.m{}.x") and not on("value.a.m{}", "value.a.m{k}.x")
