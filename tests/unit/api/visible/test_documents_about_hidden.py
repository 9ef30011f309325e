"""Documents of every kind that may name a hidden dataset: none of them is a way to learn of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from catalog.declared.kind_names import KIND_NAMES
from tests.api_world import ApiWorld, orders, world
from tests.unit.api.visible.test_hidden_dataset import API, DECLARED, HIDDEN, NAME, OWNER, calls, found_in, gets, secret

MORE = f"""
apiVersion: weir/v1
kind: RequestTemplate
metadata: {{name: vault-access}}
spec: {{datasets: [prod/orders, prod/{NAME}], purpose: audit, duration: 7d}}
---
apiVersion: weir/v1
kind: RequestTemplate
metadata: {{name: vault-alone}}
spec: {{datasets: [prod/{NAME}], purpose: audit, duration: 7d, rows: "vexmarrow = 'a'", fields: [value.vexmarrow]}}
---
apiVersion: weir/v1
kind: RequestTemplate
metadata: {{name: open}}
spec: {{datasets: [prod/orders], purpose: audit, duration: 7d}}
---
apiVersion: weir/v1
kind: DataProduct
metadata: {{name: books}}
spec: {{title: Books, datasets: [prod/orders, prod/{NAME}], outputs: [prod/{NAME}]}}
---
apiVersion: weir/v1
kind: AccessReview
metadata: {{name: quarterly}}
spec: {{scope: {{datasets: [prod/{NAME}]}}, reviewers: {{owners: true}}, due: 14d, onNoAnswer: keep}}
---
apiVersion: weir/v1
kind: Grant
metadata: {{name: for-the-vault}}
spec:
  subject: {{user: {OWNER}}}
  dataset: prod/{NAME}
  purpose: audit
  validFrom: 2026-01-01T00:00:00Z
  validTo: 2099-01-01T00:00:00Z
  status: approved
---
apiVersion: weir/v1
kind: Webhook
metadata: {{name: hook}}
spec: {{url: "https://hooks.example.com/x", types: ["*"], subjects: [prod/{NAME}]}}
"""


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    with world(tmp_path_factory.mktemp("about"), {"orders": orders(5), NAME: secret(5)}) as weir:
        weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=["orders", NAME])
        weir.apply(DECLARED)
        weir.apply(HIDDEN)
        for document in MORE.split("---\n"):
            weir.apply(document, allowUnknown="true")
        yield weir


@pytest.fixture(scope="module")
def outsider(weir: ApiWorld) -> TestClient:
    return weir.user("out")


def test_no_answer_names_it(weir: ApiWorld, outsider: TestClient) -> None:
    shown = []
    for path, operation in gets(weir):
        for at, query in calls(path, operation, "orders"):
            answer = outsider.get(at, params=query)
            if words := found_in(answer.text, at + str(query)):
                shown.append(f"{at} {query}: shows {words}: {answer.text[:300]}")
    for kind in KIND_NAMES:
        for name in ("vault-access", "vault-alone", "books", "quarterly", "for-the-vault", "hook", "vault"):
            for at in (f"{API}/declared/{kind}", f"{API}/declared/{kind}/{name}", f"{API}/export?kind={kind}"):
                answer = outsider.get(at)
                if words := found_in(answer.text, at):
                    shown.append(f"{at}: shows {words}: {answer.text[:300]}")
    assert not shown, "\n".join(shown)


def test_a_template_has_those_datasets_that_one_may_know_of(weir: ApiWorld, outsider: TestClient) -> None:
    shown = {each["name"]: each for each in outsider.get(f"{API}/request-templates").json()["templates"]}
    assert shown["open"]["datasets"] == ["prod/orders"]
    assert "vault-access" not in shown and "vault-alone" not in shown
    everything = weir.admin.get(f"{API}/request-templates").json()["templates"]
    assert {each["name"] for each in everything} == {"open", "vault-access", "vault-alone"}


@pytest.mark.parametrize("name", ["vault-access", "vault-alone"])
def test_a_template_over_it_is_as_one_that_is_not_there(outsider: TestClient, name: str) -> None:
    answer, none = (outsider.post(f"{API}/request-templates/{each}/requests", json={}) for each in (name, "nothing"))
    assert (answer.status_code, answer.text.replace(name, "NAME")) == (
        none.status_code,
        none.text.replace("nothing", "NAME"),
    )
    assert outsider.get(f"{API}/access-requests").json()["total"] == 0
