"""Who is admin of a domain with a stream view over a dataset of others: no answer about the view names the source."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.api_world import ApiWorld
from tests.unit.api.visible.test_hidden_dataset import API, NAME
from tests.unit.api.visible.test_view_over_hidden import weir as over_hidden

weir = over_hidden

DOMAIN = f"""
apiVersion: weir/v1
kind: Domain
metadata: {{name: spend}}
spec: {{datasets: [prod/spend-*], admins: {{users: [dora]}}, stewards: {{users: [stan]}}}}
---
apiVersion: weir/v1
kind: User
metadata: {{name: otto}}
spec: {{roles: [narrow]}}
---
apiVersion: weir/v1
kind: Policy
metadata: {{name: guard}}
spec: {{type: access, match: {{fields: [{{dataset: prod/{NAME}, path: value.contact}}]}}, requires: {{grant: true}}}}
"""


@pytest.fixture(scope="module")
def teams(weir: ApiWorld) -> Iterator[ApiWorld]:
    weir.apply(DOMAIN)
    yield weir


@pytest.mark.parametrize("who", ["dora", "stan"])
def test_no_answer_about_the_view_names_the_source(teams: ApiWorld, who: str) -> None:
    client = teams.user(who)
    answer = teams.user("out").post(f"{API}/access-requests", json={"dataset": "prod/spend-out", "purpose": "x"})
    assert answer.status_code in (201, 409)
    about = "prod/spend-out"
    answers = [
        *(
            client.post(f"{API}/decisions", json={"dataset": about, "subject": each})
            for each in ("otto", "ana", "out", "admin", "nobody")
        ),
        *(
            client.get(f"{API}/explain/compare", params={"dataset": about, "left": each, "right": "out"})
            for each in ("otto", "ana")
        ),
        *(
            client.get(f"{API}/{path}")
            for path in (
                f"access/datasets/{about}",
                f"datasets/{about}",
                f"datasets/{about}/access",
                f"datasets/{about}/acls",
                f"datasets/{about}/classifications",
                f"datasets/{about}/readers",
                f"datasets/{about}/visibility",
                f"datasets/{about}/schema",
                f"datasets/{about}/events",
                "grants",
                "access-requests",
                "access-requests?waiting=true",
                "views",
                "views/spend",
                "declared/View",
                "declared/Domain",
                "classifications",
                "search?q=spend",
            )
        ),
    ]
    assert not [
        (str(each.url), each.text[:800]) for each in answers if NAME in each.text or "value.contact" in each.text
    ]
    assert not [str(each.url) for each in answers if each.status_code >= 500]
    assert answers[0].status_code == (200 if who == "dora" else 403)
