"""Names in declared documents that nothing has: warned of, and refused where they are typing errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.joins.names.typos import nearest
from tests.api_world import ApiWorld, orders, world

API = "/api/v1"
KNOWN = """
apiVersion: weir/v1
kind: Role
metadata: {name: analyst}
spec: {read: [{dataset: prod/orders}]}
---
apiVersion: weir/v1
kind: Group
metadata: {name: marketing}
spec: {roles: [analyst]}
---
apiVersion: weir/v1
kind: User
metadata: {name: charlotte}
spec: {}
---
apiVersion: weir/v1
kind: GlossaryTerm
metadata: {name: customer-email}
spec: {definition: x, tags: [domain.sales]}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec: {owners: [{user: charlotte}], tags: [domain.sales]}
"""


def document(kind: str, spec: str, name: str = "tried") -> str:
    return f"apiVersion: weir/v1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {spec}\n"


def mask(match: str, more: str = "subjects: {everyone: true}") -> str:
    return document("Policy", f"{{type: mask, match: {match}, {more}, mask: {{type: MASK_HASH}}}}")


@pytest.fixture(scope="module")
def w(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("names"), {"orders": orders(5)}) as opened:
        opened.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        opened.apply(KNOWN)
        yield opened


def put(w: ApiWorld, text: str, **flags: str) -> Any:
    return w.admin.post(f"{API}/apply", content=text.encode(), params=flags)


def warnings(w: ApiWorld, text: str) -> list[tuple[str, str, str | None, bool]]:
    """(what, name, nearest, refused) of a dry run, which is never refused."""
    answer = put(w, text, dryRun="true")
    assert answer.status_code == 200, answer.text
    listed = [each for change in answer.json()["changes"] for each in change["warnings"]]
    return [(each["what"], each["name"], each["nearest"], each["refused"]) for each in listed]


TYPOS = {
    mask("{tags: [EMIAL]}"): ("tag", "EMIAL", "EMAIL_ADDRESS"),
    mask("{tags: [EMAIL_ADRESS]}"): ("tag", "EMAIL_ADRESS", "EMAIL_ADDRESS"),
    mask("{tags: [email_address]}"): ("tag", "email_address", "EMAIL_ADDRESS"),
    mask("{tags: [domain.slaes]}"): ("tag", "domain.slaes", "domain.sales"),
    mask("{tags: [PERSON]}", "except: {groups: [marketting]}"): ("group", "marketting", "marketing"),
    mask("{tags: [PERSON]}", "except: {roles: [analyts]}"): ("role", "analyts", "analyst"),
    mask("{tags: [PERSON]}", "subjects: {everyone: true, except: {roles: [Analyst]}}"): ("role", "Analyst", "analyst"),
    mask("{fields: [{dataset: prod/orders, path: value.customer.emial}]}"): (
        "field",
        "value.customer.emial",
        "value.customer.email",
    ),
    mask("{datasets: [prod/order]}"): ("dataset", "prod/order", "prod/orders"),
    document("Role", "{read: [{dataset: prod/ordres}]}"): ("dataset", "prod/ordres", "prod/orders"),
    document("Role", "{read: [{tag: domain.slaes}]}"): ("tag", "domain.slaes", "domain.sales"),
    document("Role", "{inherits: [anlayst]}"): ("role", "anlayst", "analyst"),
    document("User", "{roles: [stewart]}"): ("role", "stewart", "steward"),
    document("User", "{groups: [markteing]}"): ("group", "markteing", "marketing"),
    document("Workflow", "{match: {tags: [PII]}, stages: [{name: one, approvers: {groups: [makreting]}}]}"): (
        "group",
        "makreting",
        "marketing",
    ),
    document("Dataset", "{fields: [{path: value.region, terms: [custmer-email]}]}", "orders, cluster: prod"): (
        "term",
        "custmer-email",
        "customer-email",
    ),
    document("Dataset", "{fields: [{path: value.region, tags: [LOCATOIN]}]}", "orders, cluster: prod"): (
        "tag",
        "LOCATOIN",
        "LOCATION",
    ),
    document("Dataset", "{fields: [{path: value.regoin, tags: [LOCATION]}]}", "orders, cluster: prod"): (
        "field",
        "value.regoin",
        "value.region",
    ),
    document("Dataset", "{owners: [{group: marketin}]}", "orders, cluster: prod"): ("group", "marketin", "marketing"),
    document("GlossaryTerm", "{definition: x, parent: customer-mail}"): None,
    document("GlossaryTerm", "{definition: x, parent: customer-emial}"): (
        "term",
        "customer-emial",
        "customer-email",
    ),
    document("Visibility", "{match: {domains: [saels]}, existence: owners}"): (
        "tag",
        "domain.saels",
        "domain.sales",
    ),
    document("Visibility", "{match: {tags: [domain.sales]}, existence: {roles: [analist]}}"): (
        "role",
        "analist",
        "analyst",
    ),
    document("RequestTemplate", "{datasets: [prod/orders], unmask: [PHONE_NUMBR], purpose: x, duration: 7d}"): (
        "tag",
        "PHONE_NUMBR",
        "PHONE_NUMBER",
    ),
    document("AccessReview", "{scope: {roles: [analysst]}, reviewers: {owners: true}, due: 14d, onNoAnswer: keep}"): (
        "role",
        "analysst",
        "analyst",
    ),
}


@pytest.mark.parametrize(("text", "typo"), [(text, typo) for text, typo in TYPOS.items() if typo])
def test_a_typing_error_is_refused_with_the_nearest_name(w: ApiWorld, text: str, typo: tuple[str, str, str]) -> None:
    what, name, near = typo
    assert (what, name, near, True) in warnings(w, text)
    refused = put(w, text)
    assert refused.status_code == 400, refused.text
    error = refused.json()["error"]
    assert f"did you mean {near}?" in error["message"] and "--allow-unknown (allowUnknown=true)" in error["message"]
    assert error["details"]["line"] == 1 and error["details"]["unknown"][0]["nearest"] == near


def test_a_typing_error_passes_with_a_flag_and_then_stays(w: ApiWorld) -> None:
    text = mask("{tags: [EMIAL]}")
    assert put(w, text, allowUnknown="true").status_code == 200
    again = put(w, text).json()["changes"][0]
    assert again["action"] == "unchanged" and [each["refused"] for each in again["warnings"]] == [False]
    changed = put(w, text.replace("MASK_HASH", "MASK_NULL"))
    assert changed.status_code == 200, "the name is not what changed"
    assert w.admin.delete(f"{API}/declared/Policy/tried").status_code == 200


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (mask("{tags: [PERSON]}", "except: {groups: [night-watch]}"), ("group", "night-watch")),
        (mask("{tags: [PERSON]}", "except: {users: [charlote]}"), ("user", "charlote")),
        (mask("{tags: [domain.logistics]}"), ("tag", "domain.logistics")),
        (mask("{datasets: ['prod/orderz*']}"), ("dataset", "prod/orderz*")),
        (mask("{fields: [{dataset: prod/orders, path: value.loyalty}]}"), ("field", "value.loyalty")),
        (document("User", "{roles: [dispatcher]}"), ("role", "dispatcher")),
        (
            document("Dataset", "{owners: [{group: team-1}], terms: [turnover]}", "x, cluster: prod"),
            ("term", "turnover"),
        ),
    ],
)
def test_a_name_that_may_come_later_is_a_warning(w: ApiWorld, text: str, warning: tuple[str, str]) -> None:
    assert warning in [each[:2] for each in warnings(w, text)]
    assert not any(each[3] for each in warnings(w, text))


@pytest.mark.parametrize(
    "text",
    [
        mask("{tags: [IBAN_CODE, PII, PII.Sensitive]}"),
        mask("{fields: [{dataset: prod/orders, path: value.customer}, {dataset: prod/orders, path: headers.actor}]}"),
        mask("{fields: [{dataset: '*', path: VALUE.customer.EMAIL}]}".replace("VALUE", "value")),
        mask("{tags: [UNUSED_YET]}").replace("UNUSED_YET", "DE_TAX_ID"),
        document("User", "{groups: [team-a, people.ops]}"),
        document(
            "Dataset", "{tags: [secret], fields: [{path: value.region, tags: [location]}]}", "orders, cluster: prod"
        ),
        mask("{tags: [secret]}") + "---\n" + document("Dataset", "{tags: [secret]}", "orders, cluster: prod"),
        document(
            "Dataset", "{tags: [domain.new], fields: [{path: value.x, tags: [internal]}]}", "later, cluster: prod"
        ),
        document(
            "IdentityProvider",
            "{issuer: 'https://id.example', clientId: w, rights: [{claim: g, value: a, groups: [own]}]}",
        ),
    ],
)
def test_what_detectors_scans_and_the_places_that_give_names_know_is_no_warning(w: ApiWorld, text: str) -> None:
    assert warnings(w, text) == []


def test_a_document_beside_it_makes_a_name_known_in_any_order(w: ApiWorld) -> None:
    policy = mask("{tags: [EMPLOYEE_NUMBER]}", "except: {groups: [clerks], roles: [clerk-role]}")
    given_beside = [
        document("Recognizer", "{supported_entity: EMPLOYEE_NUMBER, deny_list: [a]}", "own"),
        document("Group", "{roles: [clerk-role]}", "clerks"),
        document("Role", "{read: [{dataset: prod/later}]}", "clerk-role"),
        document("Dataset", "{}", "later, cluster: prod"),
    ]
    assert len(warnings(w, policy)) == 3
    assert warnings(w, "---\n".join([policy, *given_beside])) == []
    assert warnings(w, "---\n".join([*given_beside, policy])) == []


def test_a_name_that_the_same_apply_takes_away_is_unknown(w: ApiWorld) -> None:
    assert put(w, document("Role", "{read: [{dataset: prod/orders}]}", "vanishing")).status_code == 200
    user = document("User", "{roles: [vanishing]}") + "---\n" + document("Role", "{}", "staying")
    answer = put(w, user, dryRun="true", prune="true").json()["changes"]
    assert [e["name"] for c in answer if c["name"] == "tried" for e in c["warnings"]] == ["vanishing"]


def test_groups_of_a_provider_are_never_refused(tmp_path: Path) -> None:
    with world(tmp_path) as weir:
        weir.apply(document("Group", "{}", "marketing"))
        text = mask("{tags: [PERSON]}", "except: {groups: [marketting]}")
        assert [each[3] for each in warnings(weir, text)] == [True]
        weir.apply(
            document(
                "IdentityProvider",
                "{issuer: 'https://id.example', clientId: w, rights: [{claim: g, value: '*', groupOfSameName: true}]}",
                "company",
            )
        )
        assert [each[1:] for each in warnings(weir, text)] == [("marketting", "marketing", False)]


def test_an_admin_of_a_domain_learns_no_name_of_others(w: ApiWorld) -> None:
    """Whether a name is known, and what is near it, is answered by what they may know."""
    w.apply(
        document("User", "{}", "dora")
        + "---\n"
        + document("Domain", "{datasets: ['prod/hr.*'], admins: {users: [dora]}}", "hr")
    )
    dora = w.user("dora")
    head = "apiVersion: weir/v1\nkind: Policy\nmetadata: {name: hr.one, domain: hr}\nspec: "
    for match, more in (
        (
            "{datasets: [prod/hr.pay]}",
            "except: {groups: [marketting, unheard-of], roles: [analyts], users: [charlote]}",
        ),
        ("{fields: [{dataset: prod/hr.pay, path: value.customer.emial}]}", "subjects: {everyone: true}"),
    ):
        text = f"{head}{{type: mask, match: {match}, {more}, mask: {{type: MASK_HASH}}}}"
        answer = dora.post(f"{API}/apply", content=text.encode(), params={"dryRun": "true"})
        assert answer.status_code == 200, answer.text
        assert {each["what"] for each in answer.json()["changes"][0]["warnings"]} <= {"dataset"}
        assert "marketing" not in answer.text and "orders" not in answer.text and "charlotte" not in answer.text
    w.admin.delete(f"{API}/declared/Domain/hr")


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("team-a", "team-b"),
        ("analyst-eu", "analyst-us"),
        ("orders-1", "orders-2"),
        ("orders2024", "orders2025"),
        ("gold", "silver"),
        ("finance", "facilities"),
        ("prod/orders", "prod/orders.archive"),
        ("domain.hr", "domain.pr"),
    ],
)
def test_names_that_differ_on_purpose_are_not_near(name: str, known: str) -> None:
    assert nearest(name, [known]) is None and nearest(known, [name]) is None


@given(st.from_regex(r"[a-z]{5,12}(-[a-z]{4,8}){0,2}", fullmatch=True), st.data())
def test_one_swapped_lost_or_doubled_letter_is_near(name: str, data: st.DataObject) -> None:
    first = name.split("-")[0]
    at = data.draw(st.integers(0, len(first) - 2))
    wrong = data.draw(
        st.sampled_from(
            [
                name[:at] + name[at + 1] + name[at] + name[at + 2 :],
                name[: at + 1] + name[at] + name[at + 1 :],
                name[:at] + name[at + 1 :],
                name.upper(),
                name.replace("-", "_"),
            ]
        )
    )
    assert nearest(wrong, [name, "something-else-entirely"]) == name
