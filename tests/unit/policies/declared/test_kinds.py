"""Declared kinds: what is read, what is refused and in which words, and that nothing changes on the way back."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from catalog.errors import InvalidInput
from policies.declared import convert, kinds, policy_specs, spec_parts
from policies.model import AccessPolicy, Mask, MaskPolicy, MaskType, RowPolicy, SubjectMatch, Target

EXAMPLE = Path(__file__).parents[3] / "fixtures" / "governance-example.yaml"
DOCUMENTS = [d for d in yaml.safe_load_all(EXAMPLE.read_text()) if d["kind"] in kinds.KINDS]


def policy(spec: dict[str, Any]) -> Any:
    read = kinds.parse("Policy", "p", spec)
    assert isinstance(read, policy_specs.PolicySpec)
    return convert.policy("p", read.root)


def mask(**spec: Any) -> Mask:
    document = policy({"type": "mask", "match": {"tags": ["PII"]}, "mask": spec})
    assert isinstance(document, MaskPolicy)
    return document.mask


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: f"{d['kind']}-{d['metadata']['name']}")
def test_the_example_applies_and_comes_back_as_it_stands(document: dict[str, Any]) -> None:
    kind, name = document["kind"], document["metadata"]["name"]
    written = kinds.dump(kinds.parse(kind, name, document["spec"]))
    # Through YAML once more: times are text in JSON and come back as the same times.
    again = kinds.parse(kind, name, yaml.safe_load(yaml.safe_dump(written)))
    assert again == kinds.parse(kind, name, document["spec"])
    expected = {
        k: v.isoformat().replace("+00:00", "Z") if hasattr(v, "isoformat") else v for k, v in document["spec"].items()
    }
    assert written == expected


def test_every_kind_is_in_the_example() -> None:
    assert {d["kind"] for d in DOCUMENTS} == set(kinds.KINDS) - {
        "Group",
        "IdentityProvider",
        "ServiceAccount",
        "DirectoryRights",
        "AccessReview",
        "Purpose",
        "RequestTemplate",
        "Visibility",
        "Principal",
    }


def test_policies_become_what_decisions_read() -> None:
    assert policy(
        {
            "type": "mask",
            "match": {"tags": ["A"], "fields": [{"dataset": "prod/x", "path": "value.a"}], "datasets": ["prod/*"]},
            "subjects": {"roles": ["r"], "except": {"users": ["u"]}},
            "except": {"purposes": ["p"]},
            "mask": {"type": "MASK_HASH"},
        }
    ) == MaskPolicy(
        "p",
        (Target(tag="A"), Target(dataset="prod/x", path="value.a"), Target(dataset="prod/*")),
        SubjectMatch(roles=frozenset({"r"})),
        Mask("MASK_HASH"),
        SubjectMatch(users=frozenset({"u"}), purposes=frozenset({"p"})),
    )
    assert policy({"type": "access", "match": {"datasets": ["*"]}, "requires": {"purpose": "one"}}) == AccessPolicy(
        "p", (Target(dataset="*"),), True, frozenset({"one"})
    )
    everyone = SubjectMatch(everyone=True)
    assert policy({"type": "row-filter", "match": {"datasets": ["prod/x"]}, "where": "a = 1"}) == RowPolicy(
        "p", (Target(dataset="prod/x"),), everyone, "a = 1"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("MASK_SHOW_LAST_4", "MASK_SHOW_LAST_4"),
        ("mask-hash", "MASK_HASH"),
        ("Last-4", "MASK_SHOW_LAST_4"),
        ("ShowLast4", "MASK_SHOW_LAST_4"),
        ("First-1", "MASK_SHOW_FIRST_4"),
        ("REMOVE", MaskType.DROP),
        ("REPLACE", MaskType.MASK),
        ("MASK", MaskType.MASK),
    ],
)
def test_masks_have_the_names_people_know(name: str, expected: str) -> None:
    assert mask(type=name).type is expected


def test_a_mask_keeps_its_parameters() -> None:
    assert mask(type="First-1").params == {"show": 1}
    assert mask(type="GENERALIZE", params={"step": 100}).params == {"step": 100}
    assert mask(type="CUSTOM", expression="upper({col})") == Mask(MaskType.CUSTOM, "upper({col})")


@pytest.mark.parametrize(
    ("text", "span"),
    [("30d", timedelta(days=30)), ("2h", timedelta(hours=2)), ("24h", timedelta(days=1)), ("1w", timedelta(weeks=1))],
)
def test_durations(text: str, span: timedelta) -> None:
    assert spec_parts.duration(text) == span


@pytest.mark.parametrize("text", ["", "30", "d", "0d", "-1d", "1.5h", "30 d", "99999999999999d"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match=r"duration|longer"):
        spec_parts.duration(text)


MASKED = {"type": "mask", "match": {"tags": ["PII"]}, "mask": {"type": "MASK"}}
GRANT = {
    "subject": {"user": "ana"},
    "dataset": "prod/x",
    "purpose": "p",
    "status": "approved",
    "validFrom": "2026-01-01T00:00:00Z",
    "validTo": "2026-02-01T00:00:00Z",
}


@pytest.mark.parametrize(
    ("kind", "spec", "field", "mend"),
    [
        ("Policy", {**MASKED, "maks": {}}, "spec.maks", "did you mean mask?"),
        ("Policy", {**MASKED, "match": {"tag": ["PII"]}}, "spec.match.tag", "did you mean tags?"),
        ("Policy", {**MASKED, "match": {}}, "spec.match", "give tags, fields or datasets"),
        ("Policy", {**MASKED, "mask": {"type": "MASK_LAST_4"}}, "spec.mask", "did you mean"),
        ("Policy", {**MASKED, "mask": {"type": "CUSTOM"}}, "spec.mask", "substring_index({col}"),
        ("Policy", {**MASKED, "mask": {"type": "MASK", "expression": "{col}"}}, "spec.mask", "CUSTOM"),
        ("Policy", {**MASKED, "mask": {"type": "GENERALIZE", "params": {"steps": 1}}}, "spec.mask", "there is step"),
        ("Policy", {**MASKED, "mask": {"type": "GENERALIZE", "params": {"step": "a"}}}, "spec.mask", "number"),
        ("Policy", {**MASKED, "mask": {"type": "GENERALIZE", "params": {"step": float("inf")}}}, "spec.mask", "number"),
        ("Policy", {**MASKED, "mask": {"type": "MASK", "params": {"step": 1}}}, "spec.mask", "there is none"),
        ("Policy", {**MASKED, "subjects": {}}, "spec.subjects", "everyone: true"),
        ("Policy", {**MASKED, "type": "maks"}, "spec.type", "mask, access or row-filter"),
        ("Policy", {"match": {"tags": ["x"]}}, "spec.type", "mask, access or row-filter"),
        ("Policy", {**MASKED, "match": {"datasets": ["orders"]}}, "spec.match.datasets.0", "prod/orders"),
        (
            "Policy",
            {**MASKED, "match": {"fields": [{"dataset": "prod/x", "path": "email"}]}},
            "spec.match.fields.0.path",
            "value.customer.email",
        ),
        (
            "Policy",
            {"type": "access", "match": {"tags": ["x"]}, "requires": {"grant": False}},
            "spec.requires",
            "grant: true",
        ),
        (
            "Policy",
            {"type": "row-filter", "match": {"fields": [{"dataset": "prod/x", "path": "value.a"}]}, "where": "a"},
            "spec",
            "match.datasets",
        ),
        ("Role", {"read": [{}]}, "spec.read.0", "dataset: CLUSTER/TOPIC"),
        ("Role", {"permissions": ["everything"]}, "spec.permissions.0", "audit:read"),
        ("User", "ana", "spec", "mapping"),
        ("User", {"roles": "analyst"}, "spec.roles", "list"),
        ("Workflow", {"match": {"tags": ["PII"]}, "stages": []}, "spec.stages", "at least 1"),
        (
            "Workflow",
            {"match": {"tags": ["PII"]}, "stages": [{"name": "a", "approvers": {}}]},
            "spec.stages.0.approvers",
            "owners: true",
        ),
        (
            "Workflow",
            {"match": {"tags": ["PII"]}, "stages": [{"name": "a", "approvers": {"owners": True}}] * 2},
            "spec",
            "two stages of one name",
        ),
        (
            "Workflow",
            {
                "match": {"tags": ["PII"]},
                "stages": [{"name": "a", "approvers": {"owners": True}}],
                "maxDuration": "a month",
            },
            "spec.maxDuration",
            "30d",
        ),
        ("Grant", {**GRANT, "subject": {"user": "a", "group": "b"}}, "spec.subject", "one of user, group, role"),
        ("Grant", {**GRANT, "validTo": "2025-01-01T00:00:00Z"}, "spec", "validTo must be later"),
        ("Grant", {**GRANT, "validTo": "2026-05-01T00:00:00"}, "spec.validTo", "timezone"),
        ("Grant", {**GRANT, "fields": ["value..x"]}, "spec.fields.0", "position 6"),
        ("Grant", {k: v for k, v in GRANT.items() if k != "status"}, "spec.status", "is missing"),
    ],
)
def test_what_is_wrong_is_named_with_its_mend(kind: str, spec: Any, field: str, mend: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        kinds.parse(kind, "the-name", spec)
    assert raised.value.details["field"] == field, raised.value.message
    assert mend in raised.value.message
    assert raised.value.message.startswith(f"{kind} the-name: {field} ")
    assert raised.value.details["problems"][0]["path"][0] == "spec"


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(InvalidInput, match=r"\(1 more\)") as raised:
        kinds.parse("Role", "r", {"reed": [], "inherit": []})
    assert [p["field"] for p in raised.value.details["problems"]] == ["spec.reed", "spec.inherit"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("{type: mask, macth: {tags: [X]}, mask: {type: MASK}}", "spec.macth is not known; did you mean match?"),
        ("{type: mask, mask: {type: MASK}}", "spec.match is required"),
        ("{type: mask, match: {}, mask: {type: MASK}}", "spec.match names nothing"),
        ("{type: mask, match: {tags: [X]}, mask: {type: MASK_HSAH}}", "spec.mask the mask 'MASK_HSAH' is not known"),
    ],
)
def test_a_file_says_the_field_of_a_policy_and_not_its_type(spec: str, message: str) -> None:
    from catalog.declared import documents

    text = f"apiVersion: weir/v1\nkind: Policy\nmetadata: {{name: p}}\nspec: {spec}\n"
    with pytest.raises(InvalidInput) as caught:
        documents.load(text, kinds.KINDS)
    assert message in caught.value.message
