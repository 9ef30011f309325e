"""Ways around the limits of a domain: two names of one cluster, tags of fields, tags by reviews, groups of another sign-in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from tests.api_world import ApiWorld, orders, world

API = "/api/v1"
SETUP = """
apiVersion: weir/v1
kind: Domain
metadata: {name: hr}
spec: {datasets: ["prod*/hr.*"], admins: {users: [ada]}, stewards: {users: [stan]}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: hr.pay, cluster: prod}
spec:
  tags: [confidential]
  fields: [{path: value.region, tags: [secret]}, {path: value.customer.email, terms: [mail]}]
---
apiVersion: weir/v1
kind: GlossaryTerm
metadata: {name: mail}
spec: {tags: [hidden]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: guard}
spec: {type: access, match: {tags: [confidential]}, requires: {grant: true}}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: mask}
spec: {type: mask, match: {tags: [secret, hidden]}, mask: {type: MASK_NULL}}
---
apiVersion: weir/v1
kind: Grant
metadata: {name: for-stan}
spec:
  {subject: {user: stan}, dataset: prod/hr.pay, purpose: x, fields: [harmless], unmask: [PII], status: approved,
   validFrom: 2020-01-01T00:00:00Z, validTo: 2099-01-01T00:00:00Z}
---
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod-too}
spec: {bootstrapServers: "localhost:9092"}
"""
FIELDS = "{path: value.region, tags: [secret%s]}, {path: value.customer.email, terms: [mail]}"


@pytest.fixture(scope="module")
def w(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("domains"), {"hr.pay": orders(20)}) as opened:
        opened.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["hr.pay"])
        opened.apply(SETUP)
        yield opened


@pytest.fixture(scope="module")
def ada(w: ApiWorld) -> TestClient:
    return w.user("ada")


@pytest.fixture(scope="module")
def stan(w: ApiWorld) -> TestClient:
    return w.user("stan")


def edited(client: TestClient, spec: str, cluster: str = "prod") -> tuple[int, str]:
    text = f"apiVersion: weir/v1\nkind: Dataset\nmetadata: {{name: hr.pay, cluster: {cluster}}}\nspec: {spec}\n"
    answer = client.post(f"{API}/apply", content=text.encode())
    return answer.status_code, answer.text


def test_a_tag_of_the_installation_is_not_lost_by_another_name_of_the_cluster(
    w: ApiWorld, ada: TestClient, stan: TestClient
) -> None:
    for client in (ada, stan):
        status, text = edited(client, "{tags: []}", "prod-too")
        assert status == 403 and "without the tag confidential" in text
    assert w.admin.get(f"{API}/datasets/prod/hr.pay").json()["tags"] == ["confidential"]


@pytest.mark.parametrize(
    "fields",
    [
        "",
        "{path: value.region}, {path: value.customer.email, terms: [mail]}",
        "{path: value.region, tags: [secret]}",
        "{path: value.id, tags: [secret]}, {path: value.customer.email, terms: [mail]}",
    ],
)
def test_a_tag_of_a_field_that_a_policy_of_the_installation_masks_stays(
    ada: TestClient, stan: TestClient, fields: str
) -> None:
    for client in (ada, stan):
        status, text = edited(client, f"{{tags: [confidential], fields: [{fields}]}}")
        assert status == 403 and "a document of the installation would hold for it no longer" in text


def test_a_steward_adds_no_tag_by_which_a_grant_opens(stan: TestClient) -> None:
    for tag in ("harmless", "PHONE_NUMBER"):
        status, text = edited(stan, f"{{tags: [confidential], fields: [{FIELDS % f', {tag}'}]}}")
        assert status == 403 and f"the tag {tag} would open it" in text
    assert edited(stan, f"{{description: Pay, tags: [confidential], fields: [{FIELDS % ', other'}]}}")[0] == 200


def test_a_steward_adds_no_such_tag_by_a_review_either(w: ApiWorld, stan: TestClient, ada: TestClient) -> None:
    word = {"path": "value.region", "entity": "harmless", "state": "confirmed"}
    one = stan.post(f"{API}/datasets/prod/hr.pay/classifications", json=word)
    assert one.status_code == 403 and "the tag harmless would open it" in one.text
    item = {**word, "namespace": "prod", "name": "hr.pay"}
    fine = {**item, "entity": "other-word"}
    many = stan.post(f"{API}/classifications/review", json={"items": [item, fine]}).json()
    assert (many["reviewed"], many["refused"]) == (1, 1)
    # What a scan found holds already: to confirm it opens nothing.
    document = {**word, "path": "value.customer.email", "entity": "EMAIL_ADDRESS"}
    assert stan.post(f"{API}/datasets/prod/hr.pay/classifications", json=document).status_code == 200
    assert ada.post(f"{API}/datasets/prod/hr.pay/classifications", json=word).status_code == 200


def test_an_admin_gives_ownership_to_others_and_not_to_themselves(ada: TestClient) -> None:
    spec = f"{{tags: [confidential], fields: [{FIELDS % ''}], owners: [{{user: %s}}]}}"
    status, text = edited(ada, spec % "ada")
    assert status == 403 and "an admin does not become one by their own change" in text
    assert edited(ada, spec % "olga")[0] == 200
