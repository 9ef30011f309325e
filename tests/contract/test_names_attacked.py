"""Names in other spellings, and with characters that nobody sees: none is another person, and none gets to a name's rights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.api_world import ApiWorld, orders, world
from tests.scim_world import GROUP, USER, Directory

API = "/api/v1"
SPELLINGS = ("MIA", "Mia", "ｍｉａ", "𝐦𝐢𝐚", "ⓜⓘⓐ", "ᴹia")
UNSEEN = (
    "a\u200bna", "ana\u200d", "a\u00adna", "a\u034fna", "\u115fana", "ana\u3164", "ana\uffa0", "ana\u2800", "ana\ufe0f",
    "ana\U000e0100", "\u202eana", "\u2066ana", "ana\u2060", "\ufeffana", "a\x1b[31mna", "ana\x00", "a\u180ena", "ana\U000e0061",
)  # fmt: skip
MIXED = ("\u0430na", "an\u0430", "\u03bfla", "p\u0435tra", "ana.\u0430na", "\u04301na", "\u0430\u030cna")
OWN = ("weir", "Weir", "WEIR", "ｗｅｉｒ", "Admin", "ADMIN", "ａｄｍｉｎ")


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("home"), {"orders": orders(5)}) as running:
        running.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders"])
        yield running


@pytest.fixture(scope="module")
def directory(weir: ApiWorld) -> Directory:
    return Directory(weir)


def quoted(text: str) -> str:
    """As YAML has it, with every letter by its number."""
    return '"' + "".join(f"\\U{ord(letter):08x}" for letter in text) + '"'


def applied(weir: ApiWorld, kind: str, name: str, spec: str = "{}", **metadata: str) -> Any:
    more = "".join(f", {key}: {value}" for key, value in metadata.items())
    text = f"apiVersion: weir/v1\nkind: {kind}\nmetadata: {{name: {quoted(name)}{more}}}\nspec: {spec}\n"
    return weir.admin.post(f"{API}/apply", content=text.encode())


@pytest.mark.parametrize("name", [*UNSEEN, *MIXED], ids=ascii)
def test_a_name_that_looks_as_another_is_nobodys(weir: ApiWorld, directory: Directory, name: str) -> None:
    assert weir.admin.post(f"{API}/tokens", json={"user": name}).status_code == 400
    assert directory.call("POST", "/Users", {"schemas": [USER], "userName": name}).status_code == 400
    assert applied(weir, "User", name).status_code == 400


@pytest.mark.parametrize(
    "name", ["анна", "ἄννα", "アナ", "αβ_ana", "ana-анна", "zoë", "o'neill", "łukasz", "ana3"], ids=ascii
)
def test_a_name_of_any_one_alphabet_is_a_name(directory: Directory, name: str) -> None:
    assert directory.call("POST", "/Users", {"schemas": [USER], "userName": name}).status_code == 201


@pytest.mark.parametrize("name", OWN)
def test_nobody_is_weir_or_the_admin_by_another_spelling(weir: ApiWorld, directory: Directory, name: str) -> None:
    refused = weir.admin.post(f"{API}/tokens", json={"user": name})
    assert refused.status_code == 400 and "name of Weir's own" in refused.text
    for kind, spec in (("User", "{roles: [admin]}"), ("ServiceAccount", "{owner: it}")):
        refused = applied(weir, kind, name, spec)
        assert refused.status_code == 400 and "name of Weir's own" in refused.text
    assert directory.call("POST", "/Users", {"schemas": [USER], "userName": name}).status_code == 409


KINDS = {
    "Role": "{description: x}",
    "Group": "{members: [ana]}",
    "Webhook": '{url: "https://example.com/x"}',
    "Cluster": '{bootstrapServers: "h:9092"}',
    "Purpose": "{description: x}",
    "Policy": "{type: mask, match: {tags: [PII]}, mask: {type: MASK_NULL}}",
    "Workflow": '{match: {datasets: ["x/y"]}, stages: [{name: one, approvers: {users: [eva]}}]}',
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_document_has_a_name_that_looks_as_another(weir: ApiWorld, kind: str) -> None:
    for name in UNSEEN[::6]:
        refused = applied(weir, kind, name, KINDS[kind])
        assert refused.status_code == 400 and "metadata.name" in refused.text, ascii(name)


def test_no_dataset_and_no_list_of_people_has_one_either(weir: ApiWorld) -> None:
    for name in UNSEEN[::6]:
        assert applied(weir, "Dataset", f"orders{name}", "{description: x}", cluster="prod").status_code == 400
        assert applied(weir, "Group", "g", f"{{members: [{quoted(name)}]}}").status_code == 400
    assert applied(weir, "Group", "g", "{members: [ana, o'neill, αβ]}").status_code == 200


@pytest.mark.parametrize("name", [*UNSEEN[::6], "a\nb", "a\u2028b"], ids=ascii)
def test_no_group_of_a_directory_has_one(directory: Directory, name: str) -> None:
    refused = directory.call("POST", "/Groups", {"schemas": [GROUP], "displayName": name})
    assert refused.status_code == 400 and "nobody sees" in refused.json()["detail"]


def test_a_directory_has_one_person_for_all_spellings(weir: ApiWorld, directory: Directory) -> None:
    mia = directory.user("mia")
    for name in SPELLINGS:
        refused = directory.call("POST", "/Users", {"schemas": [USER], "userName": name})
        assert refused.status_code == 409, name
    directory.deactivate(mia)
    for name in SPELLINGS:
        refused = weir.admin.post(f"{API}/tokens", json={"user": name})
        assert refused.status_code == 400 and "deactivated" in refused.text, name


OWNED = """
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec: {owners: [{group: sales}]}
---
apiVersion: weir/v1
kind: Group
metadata: {name: sales}
spec: {members: [olga, OLGA, rita, Rita, ｒｉｔａ]}
---
apiVersion: weir/v1
kind: Workflow
metadata: {name: two}
spec: {match: {datasets: [prod/orders]}, stages: [{name: owners, approvers: {owners: true}, quorum: 2}]}
"""


def test_nobody_decides_their_own_request_by_another_spelling(weir: ApiWorld) -> None:
    weir.apply(OWNED)
    wish = {"dataset": "prod/orders", "fields": ["*"], "purpose": "x"}
    request = weir.user("rita").post(f"{API}/access-requests", json=wish).json()
    at = f"{API}/access-requests/{request['id']}"
    for name in ("rita", "Rita", "ｒｉｔａ"):
        for verdict in ("approve", "deny"):
            refused = weir.user(name).post(f"{at}/{verdict}", json={})
            assert refused.status_code == 403 and "cannot decide it" in refused.text, name
    until = "2027-06-01T00:00:00Z"
    for name in ("Rita", "ｒｉｔａ"):
        own = weir.user("rita").put(f"{API}/me/delegation", json={"delegates": [name], "until": until})
        assert own.status_code == 400 and "their own delegate" in own.text


def test_two_spellings_are_not_two_votes(weir: ApiWorld) -> None:
    weir.apply(OWNED)
    wish = {"dataset": "prod/orders", "fields": ["*"], "purpose": "y"}
    request = weir.user("nina").post(f"{API}/access-requests", json=wish).json()
    at = f"{API}/access-requests/{request['id']}"
    assert weir.user("olga").post(f"{at}/approve", json={}).json()["state"] == "pending"
    again = weir.user("OLGA").post(f"{at}/approve", json={})
    assert again.status_code == 409 and "already" in again.text
    assert weir.user("rita").post(f"{at}/approve", json={}).json()["state"] == "approved"


def test_saved_queries_do_not_pass_to_the_next_person_of_a_name(weir: ApiWorld, directory: Directory) -> None:
    eva = directory.user("eva")
    kept = {"name": "mine", "sql": "SELECT 1 FROM prod.orders WHERE customer.email = 'jo@mail.example.com'"}
    assert weir.user("eva").post(f"{API}/saved-queries", json=kept).status_code == 201
    assert directory.call("DELETE", f"/Users/{eva}").status_code == 204
    again = directory.call("POST", "/Users", {"schemas": [USER], "userName": "eva"})
    assert again.status_code == 409 and "SavedQuery" in again.json()["detail"]
