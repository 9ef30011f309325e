"""Masks at the source: settings for a connector, and connectors that write unmasked, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connectors.model import Live
from tests.api_world import record
from tests.connector_world import World

TOPIC, DEBEZIUM = "shop.public.customers", "io.debezium.connector.postgresql.PostgresConnector"
SALT, PASSWORD = "4711-salt", "pass-4711"
CONFIG = {
    "connector.class": DEBEZIUM,
    "topic.prefix": "shop",
    "database.hostname": "db.internal",
    "database.password": PASSWORD,
    "table.include.list": "public.customers",
}
MASK_FIELD = {
    "transforms": "mask",
    "transforms.mask.type": "org.apache.kafka.connect.transforms.MaskField$Value",
    "transforms.mask.fields": "email,phone",
}
DECLARED = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "localhost:9092", connect: {url: "https://connect:8083"}}
---
apiVersion: weir/v1
kind: Dataset
metadata: {cluster: prod, name: shop.public.customers}
spec:
  owners: [{user: otto}]
  fields:
    - {path: value.before.phone, tags: [PHONE_NUMBER]}
    - {path: value.after.phone, tags: [PHONE_NUMBER]}
    - {path: value.after.born, tags: [DATE_OF_BIRTH]}
    - {path: value.after.points, tags: [CREDIT_SCORE]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: mails}
spec: {type: mask, match: {tags: [EMAIL_ADDRESS]}, mask: {type: MASK_HASH}, except: {groups: [fraud]}}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: phones}
spec: {type: mask, match: {tags: [PHONE_NUMBER]}, mask: {type: DROP}}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: births}
spec: {type: mask, match: {tags: [DATE_OF_BIRTH]}, mask: {type: MASK_DATE_SHOW_YEAR}}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: scores}
spec: {type: mask, match: {tags: [CREDIT_SCORE]}, mask: {type: MASK}}
---
apiVersion: weir/v1
kind: User
metadata: {name: otto}
spec: {}
---
apiVersion: weir/v1
kind: User
metadata: {name: ana}
spec: {}
"""


def change(number: int) -> dict[str, Any]:
    def row(n: int) -> dict[str, Any]:
        return {
            "id": n,
            "email": f"ana.meier{n}@example.org",
            "phone": f"+49 151 2345{n:04}",
            "born": "1987-03-14",
            "points": n,
        }

    after = row(number)
    return {
        "before": row(number) if number % 2 else None,
        "after": after,
        "op": "u",
        "ts_ms": 1,
        "source": {"table": "customers"},
    }


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[World]:
    topics = {TOPIC: [record(change(n), offset=n) for n in range(60)], "lines": [record({"text": "a"}, offset=0)]}
    weir = World(tmp_path, topics)
    weir.scan(bootstrapServers="localhost:9092", cluster="prod", topics=list(topics))
    weir.apply(DECLARED, allowUnknown="true")
    yield weir
    weir.services.close()


def deploy(weir: World, name: str = "shop-customers", kind: Any = "source", **more: str) -> None:
    config = {**CONFIG, **{key.replace("__", "."): value for key, value in more.items()}}
    weir.worker.connectors[name] = Live(name, kind, "RUNNING", config)
    weir.worker.used[name] = [TOPIC]


def masks(weir: World, status: int = 200, client: Any = None, **asked: str) -> dict[str, Any]:
    answer = (client or weir.admin).get("/api/v1/connector-masks", params=asked)
    assert answer.status_code == status, answer.text
    assert PASSWORD not in answer.text and SALT not in answer.text
    body: dict[str, Any] = answer.json()
    return body


def leaking(weir: World, client: Any = None) -> list[dict[str, Any]]:
    answer = (client or weir.admin).get("/api/v1/rights/findings", params={"kind": "unmaskedAtSource"})
    assert answer.status_code == 200, answer.text
    assert PASSWORD not in answer.text and SALT not in answer.text
    findings: list[dict[str, Any]] = answer.json()["findings"]
    return findings


def test_the_settings_are_what_an_ordinary_reader_sees_masked(weir: World) -> None:
    deploy(weir)
    (one,) = masks(weir, dataset=f"prod/{TOPIC}")["connectors"]
    assert one["connector"] == "shop-customers" and one["datasets"] == [f"prod/{TOPIC}"]
    assert one["properties"] == {
        "column.exclude.list": r"public\.customers\.phone,public\.customers\.points",
        "column.mask.hash.v2.SHA-256.with.salt.${WEIR_SECRET_MASK_SALT}": r"public\.customers\.email",
        "column.mask.with.10.chars": r"public\.customers\.born",
    }
    notes = {each["path"]: each for each in one["masks"]}
    assert notes["value.after.phone"]["exact"]
    assert "MASK_DATE_SHOW_YEAR" in notes["value.after.born"]["note"] and "Nearest" in notes["value.after.born"]["note"]
    assert "text columns alone" in notes["value.after.points"]["note"]
    assert any("salt" in note for note in one["notes"])


def test_what_was_printed_closes_every_leak(weir: World) -> None:
    deploy(weir)
    (before,) = masks(weir, connector="shop-customers")["connectors"]
    assert {each["path"] for each in before["leaks"]} >= {"value.before.email", "value.after.email"}
    salted = {key.replace("${WEIR_SECRET_MASK_SALT}", SALT): value for key, value in before["properties"].items()}
    weir.worker.connectors["shop-customers"] = Live("shop-customers", "source", "RUNNING", {**CONFIG, **salted})
    (after,) = masks(weir, connector="shop-customers")["connectors"]
    assert after["leaks"] == [] and leaking(weir) == []


def test_a_mask_of_top_level_fields_does_not_reach_an_envelope(weir: World) -> None:
    deploy(weir, **MASK_FIELD)
    (finding,) = leaking(weir)
    assert (
        finding["severity"] == "high" and finding["dataset"] == f"prod/{TOPIC}" and "shop-customers" in finding["text"]
    )
    assert "value.before.email" in finding["text"] and "value.after.email" in finding["text"]
    assert "reaches top-level fields alone" in finding["text"] and "weir connector mask" in finding["fix"]
    deploy(weir, **MASK_FIELD, column__exclude__list=r".*\.(email|phone|born|points)")
    assert leaking(weir) == []


def test_owners_see_findings_of_their_topics_and_others_nothing(weir: World) -> None:
    deploy(weir)
    assert [each["dataset"] for each in leaking(weir, weir.user("otto"))] == [f"prod/{TOPIC}"]
    assert masks(weir, client=weir.user("otto"), connector="shop-customers")["connectors"]
    masks(weir, 403, weir.user("ana"), connector="shop-customers")
    masks(weir, 403, weir.user("ana"), dataset=f"prod/{TOPIC}")


def test_bad_input_has_one_sentence_with_the_fix(weir: World) -> None:
    deploy(weir)
    deploy(weir, "to-archive", "sink", topics=TOPIC)
    assert "shop-customers" in masks(weir, 404, connector="shop-customer")["error"]["message"]
    assert "sink" in masks(weir, 400, connector="to-archive")["error"]["message"]
    assert "No source connector" in masks(weir, 404, dataset="prod/lines")["error"]["message"]
    assert "Give one of" in masks(weir, 400)["error"]["message"]
    masks(weir, 404, dataset="prod/none")
    weir.worker.away = True
    assert "does not" in masks(weir, 404, connector="shop-customers")["error"]["message"]


def test_a_source_that_is_not_of_debezium_gets_transforms(weir: World) -> None:
    config = {"connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector", "connection.password": PASSWORD}
    weir.worker.connectors["jdbc"] = Live("jdbc", "source", "RUNNING", config)
    weir.worker.used["jdbc"] = ["lines", TOPIC]
    fields = "[{path: value.text, tags: [EMAIL_ADDRESS]}]"
    weir.apply(
        f"apiVersion: weir/v1\nkind: Dataset\nmetadata: {{cluster: prod, name: lines}}\nspec: {{fields: {fields}}}"
    )
    (one,) = masks(weir, connector="jdbc")["connectors"]
    assert one["properties"] == {
        "transforms": "weirMask",
        "transforms.weirMask.type": "org.apache.kafka.connect.transforms.MaskField$Value",
        "transforms.weirMask.fields": "text",
    }
    nested = next(each for each in one["masks"] if each["path"] == "value.after.email")
    assert nested["setting"] is None and "Flatten" in nested["note"]
