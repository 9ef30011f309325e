"""A Weir that somebody worked with: scanned, governed, asked for access, queried. What a backup has to bring back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

from api.config.home import Home
from catalog.adapters.sql.database import Database
from policies.masks.keys import MaskKeys
from policies.model import Mask
from tests.answer_check import CheckedClient
from tests.api_world import ApiWorld, orders, record, world

_ORDERS = "/api/v1/datasets/prod/orders"
PATHS = (
    "/api/v1/datasets",
    _ORDERS,
    f"{_ORDERS}/schema",
    f"{_ORDERS}/schema/versions",
    f"{_ORDERS}/classifications",
    f"{_ORDERS}/access",
    f"{_ORDERS}/quality",
    f"{_ORDERS}/anomalies",
    f"{_ORDERS}/visibility",
    f"{_ORDERS}/questions",
    f"{_ORDERS}/descriptions",
    "/api/v1/access-requests",
    "/api/v1/audit",
    "/api/v1/audit/key",
    "/api/v1/audit/segments",
    "/api/v1/audit/verify",
    "/api/v1/classifications",
    "/api/v1/clusters",
    "/api/v1/contracts",
    "/api/v1/declared/Dataset",
    "/api/v1/declared/User",
    "/api/v1/declared/Role",
    "/api/v1/declared/Role/origins",
    "/api/v1/domains",
    "/api/v1/events",
    "/api/v1/grants",
    "/api/v1/incidents",
    "/api/v1/me",
    "/api/v1/policies",
    "/api/v1/policy-reach",
    "/api/v1/purposes",
    "/api/v1/saved-queries",
    "/api/v1/scans",
    "/api/v1/views",
    "/api/v1/tokens",
    "/api/v1/access/datasets/prod/orders",  # these two are noted in the audit, so they come last
    "/api/v1/access/people/ana",
)
DOCUMENTS = """
apiVersion: weir/v1
kind: Role
metadata: {name: analyst}
spec: {read: [{dataset: prod/*}]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: mask-email}
spec: {type: mask, match: {tags: [EMAIL_ADDRESS]}, subjects: {everyone: true}, mask: {type: MASK_HASH, params: {keyVersion: 2}}}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {roles: [analyst]}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {roles: [analyst]}
---
apiVersion: weir/v1
kind: Workflow
metadata: {name: all}
spec: {match: {tags: [PII]}, stages: [{name: owner, approvers: {owners: true}, quorum: 1}], maxDuration: 36500d}
---
apiVersion: weir/v1
kind: Purpose
metadata: {name: support}
spec: {description: Answering customers.}
---
apiVersion: weir/v1
kind: Dataset
metadata: {name: orders, cluster: prod}
spec: {description: Orders of the shop., owners: [{user: otto}], tags: [domain.sales]}
"""


def topics() -> dict[str, Any]:
    return {"orders": orders(60), "strange \u2603": [record({"a\x00b": 1, "c": "\u2603"}, offset=n) for n in range(5)]}


@contextmanager
def of(folder: Path, database: str | None = None) -> Iterator[ApiWorld]:
    """A world over the record store of a folder, or over `database`."""
    with ExitStack() as closed:
        more: dict[str, Any] = {}
        if database is not None:
            more["database"] = closed.enter_context(closing(Database(database)))
            more["database"].migrate()
        yield closed.enter_context(world(folder, topics(), **more))


def fill(weir: ApiWorld) -> dict[str, str]:
    """Work with Weir through its doors. Returns the tokens of its users, the admin's first: only they may read the audit."""
    weir.scan(cluster="prod", bootstrapServers="localhost:9092")
    weir.apply(
        DOCUMENTS, commit="0a1b2c3d", repository="https://git.example.com/g.git", files="roles.yaml", dirty="false"
    )
    weir.scan(cluster="prod")
    tokens = {name: _token(weir.admin, name) for name in ("ana", "otto")}
    ana, otto = client(weir, tokens["ana"]), client(weir, tokens["otto"])
    request = _ok(ana.post("/api/v1/access-requests", json=_REQUEST), 201)
    _ok(otto.post(f"/api/v1/access-requests/{request['id']}/approve", json={"reason": "until it is solved"}), 200)
    _ok(ana.post("/api/v1/access-requests", json={**_REQUEST, "reason": "Another one."}), 201)
    _ok(ana.post("/api/v1/saved-queries", json={"name": "mine", "sql": "SELECT 1 FROM prod.orders"}), 201)
    asked = _ok(ana.post(f"{_ORDERS}/questions", json={"text": "Is region ever null?"}), 200)
    _ok(otto.post(f"/api/v1/questions/{asked['id']}/answers", json={"text": "Never."}), 200)
    return {"admin": weir.admin.headers["Authorization"].removeprefix("Bearer "), **tokens}


_REQUEST = {
    "dataset": "prod/orders",
    "purpose": "support",
    "reason": "A customer complains.",
    "until": "2099-01-01T00:00:00Z",
}


def _token(admin: CheckedClient, name: str) -> str:
    return str(_ok(admin.post("/api/v1/tokens", json={"user": name}), 201)["token"])


def _ok(answer: Any, code: int) -> Any:
    assert answer.status_code == code, answer.text
    return answer.json()


def client(weir: ApiWorld, token: str) -> CheckedClient:
    return weir._client(token)


def answers(weir: ApiWorld, token: str) -> dict[str, Any]:
    """What every path answers to the holder of a token."""
    given = client(weir, token)
    listed: dict[str, Any] = {}
    for path in PATHS:
        answer = given.get(path)
        listed[path] = (answer.status_code, _plain(answer.json()))
    return listed


def without_backups(path: str, answer: Any) -> Any:
    """An answer without the audit's newest entry: of the backup in the old instance, of its restore in the new one."""
    code, body = answer
    if code == 200 and path == "/api/v1/audit":
        return code, {**body, "entries": [each for each in body["entries"] if each["target"] != "record store"]}
    if code == 200 and path == "/api/v1/audit/verify":
        return code, {name: value for name, value in body.items() if name != "head"}
    return answer


def masked(folder: Path) -> list[str]:
    """Values as the mask of each policy shows them by the key of an instance, whose versions are keys of their own."""
    keys = MaskKeys(Home(folder).secret("masks").encode()).within("prod/orders")
    masks = [Mask("MASK_HASH", params={"keyVersion": version}, kind="EMAIL_ADDRESS") for version in (1, 2)]
    return [keys.hexdigest(keys.purpose(mask), b"person1@mail.example.com") for mask in masks]


def _plain(body: Any) -> Any:
    """An answer without the moments that follow the clock."""
    return {key: value for key, value in body.items() if key not in ("at", "since")} if isinstance(body, dict) else body
