"""A stream view over a dataset that somebody may not know of gives them neither its rows nor its name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api_world import ApiWorld, orders, record
from tests.served_view import ServedView
from tests.unit.api.visible.test_hidden_dataset import API, NAME, secret

DECLARED = f"""
apiVersion: weir/v1
kind: Role
metadata: {{name: narrow}}
spec: {{read: [{{dataset: prod/spend-out}}, {{dataset: prod/orders}}]}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: out}}
spec: {{roles: [narrow]}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {{name: {NAME}, cluster: prod}}
spec: {{owners: [{{user: otto}}]}}
---
apiVersion: weir/v1
kind: View
metadata: {{name: spend}}
spec:
  sql: SELECT contact AS email, count(*) AS total FROM prod.{NAME} GROUP BY contact
  runAs: {{user: ana}}
  sink: {{cluster: prod, topic: spend-out}}
"""
HIDDEN = f"""
apiVersion: weir/v1
kind: Visibility
metadata: {{name: vault}}
spec: {{match: {{datasets: [prod/{NAME}]}}, existence: owners}}
"""


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiWorld]:
    out = [record({"email": "p", "total": 1}, offset=n) for n in range(9)]
    topics = {"orders": orders(50), NAME: secret(50), "spend-out": out}
    served = ServedView(tmp_path_factory.mktemp("views"), topics=topics)
    served.world.scan(cluster="prod", topics=["spend-out", NAME])
    served.world.apply(DECLARED)
    made_of = [["value.email", f"prod/{NAME}", "value.contact", None]]
    served.serve(
        served.generation(
            private=False,
            topic="spend-out",
            sources=[f"prod/{NAME}"],
            goal={NAME: {0: 50}},
            streams={NAME: "prod"},
            made_of=made_of,
        )
    )
    assert served.world.user("ana").get(f"{API}/views/spend/rows").status_code == 200
    served.world.apply(HIDDEN)
    yield served.world
    served.world.services.close()


def test_its_rows_are_denied_to_who_reads_the_source_by_a_role(weir: ApiWorld) -> None:
    ana, otto = weir.user("ana"), weir.user("otto")
    answer = ana.get(f"{API}/views/spend/rows")
    assert answer.status_code == 403 and NAME not in answer.text
    assert ana.post(f"{API}/decisions", json={"dataset": "prod/spend-out"}).json()["effect"] == "deny"
    assert ana.get(f"{API}/datasets/prod/{NAME}").status_code == 404
    assert otto.get(f"{API}/datasets/prod/{NAME}").status_code == 200


@pytest.mark.parametrize("who", ["ana", "out", "otto"])
def test_one_row_is_refused_as_all_rows_are(weir: ApiWorld, who: str) -> None:
    client = weir.user(who)
    one, every = (client.get(f"{API}/views/spend/rows{asked}") for asked in ("?key=p", ""))
    assert (one.status_code, one.json()) == (every.status_code, every.json()) and one.status_code >= 400


@pytest.mark.parametrize("who", ["ana", "out"])
def test_no_answer_about_it_names_the_source(weir: ApiWorld, who: str) -> None:
    client = weir.user(who)
    asked = {"dataset": "prod/spend-out", "purpose": "x"}
    answers = [
        client.post(f"{API}/decisions", json={"dataset": "prod/spend-out"}),
        client.get(f"{API}/views"),
        client.get(f"{API}/views/spend"),
        client.get(f"{API}/views/spend/rows"),
        client.get(f"{API}/datasets/prod/spend-out/records"),
        client.get(f"{API}/explain/compare", params={"dataset": "prod/spend-out", "rightPurpose": "x"}),
        client.get(f"{API}/access/people/{who}"),
        client.get(f"{API}/declared/View"),
        client.post(f"{API}/access-requests", json=asked),
        client.post(f"{API}/access-requests/break-glass", json={**asked, "reason": "y"}),
        client.get(f"{API}/access-requests"),
    ]
    assert not [
        (each.url.path, each.text[:800]) for each in answers if NAME in each.text or "value.contact" in each.text
    ]
    assert not [each.url.path for each in answers if each.status_code >= 500]
    assert answers[8].status_code == 201 and "owner of a dataset you may not see" in answers[8].text
