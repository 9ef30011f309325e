"""Rows of the inbox for incidents and masked copies, and the row that counts what has none of its own."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from api.features.inbox.rows import FEW, Row, few
from catalog.incident_store import IncidentCause
from catalog.incidents.fault import Fault
from catalog.incidents.service import Incidents
from catalog.ports import CatalogStore
from catalog.records import DatasetFilter
from policies.broker_rights.copies import CopyState, MaskedCopy
from policies.broker_rights.copy_keeper import CopyKeeper, KeptCopy
from tests.api_world import ApiWorld, orders, prepared
from tests.features.inbox.test_inbox_http import DECLARED, HIDDEN, row, rows

NOW = datetime.now(UTC)


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with prepared(tmp_path, {"orders": orders(20), "vault": orders(20)}, _state) as created:
        yield created


def _state(weir: ApiWorld) -> None:
    weir.scan(bootstrapServers="localhost:9092", cluster="prod")
    weir.apply(DECLARED)


def fault(weir: ApiWorld, name: str, rule: str, cause: IncidentCause = IncidentCause.QUALITY) -> str:
    """An incident of a dataset; its id."""
    (dataset,) = [
        each.id for each in weir.services[CatalogStore].datasets(DatasetFilter()).items if each.id.name == name
    ]
    title = "between 10 and 20 records an hour are usual"
    return weir.services[Incidents].report(Fault(dataset, cause, "volume", rule, title, "3 arrived.", NOW)).id


def test_an_incident_is_a_row_of_the_owner_until_it_is_resolved(weir: ApiWorld) -> None:
    otto = weir.user("otto")
    assert rows(otto, "incident") == []
    id = fault(weir, "orders", "volume")
    one = row(otto, "incident")
    assert (one["tone"], one["duty"], one["link"]) == ("broken", "owner", f"/incidents/{id}")
    assert (
        one["subject"] + " " + one["text"] == "prod/orders has an incident: between 10 and 20 records an hour are usual"
    )
    assert rows(weir.user("ana"), "incident") == []
    otto.post(f"/api/v1/incidents/{id}/acknowledge")
    assert row(otto, "incident")["tone"] == "waiting"
    otto.post(f"/api/v1/incidents/{id}/resolve", json={"resolution": "accepted"})
    assert rows(otto, "incident") == []


def test_who_is_given_an_incident_has_the_row_in_place_of_the_owner(weir: ApiWorld) -> None:
    id = fault(weir, "orders", "volume")
    weir.admin.put(f"/api/v1/incidents/{id}/assignee", json={"user": "ana"})
    assert row(weir.user("ana"), "incident")["text"].startswith("has an incident of yours: ")
    assert rows(weir.user("otto"), "incident") == []


def test_a_broken_contract_has_one_row_alone(weir: ApiWorld) -> None:
    fault(weir, "orders", "rule", IncidentCause.CONTRACT)
    assert rows(weir.user("otto"), "incident") == []


def test_an_incident_of_a_hidden_dataset_has_no_row(weir: ApiWorld) -> None:
    id = fault(weir, "vault", "volume")
    weir.admin.put(f"/api/v1/incidents/{id}/assignee", json={"user": "ana"})
    assert row(weir.user("ana"), "incident")["subject"] == "prod/vault"
    weir.apply(HIDDEN)
    assert rows(weir.user("ana"), "incident") == []


def test_more_incidents_than_rows_are_counted_in_one(weir: ApiWorld) -> None:
    for n in range(FEW + 2):
        fault(weir, "orders", f"series {n}")
    *shown, last = rows(weir.user("otto"), "incident")
    assert len(shown) == FEW
    assert (last["count"], last["subject"], last["text"], last["link"]) == (
        2,
        "2 more incidents",
        "wait for you",
        "/incidents",
    )


@pytest.mark.parametrize("count", [0, 1, FEW, FEW + 1, FEW + 9])
def test_every_thing_is_in_a_row_or_counted(count: int) -> None:
    shown = few(
        range(count),
        lambda n: Row("grant", "analyst", "news", f"{n}", "ends", "Extend", "/one"),
        lambda n: (f"{n}", ""),
        "/all",
    )
    assert sum(each.count or 1 for each in shown) == count
    assert [each.link for each in shown] == ["/one"] * min(count, FEW) + ["/all"] * (count > FEW)


def test_masked_copies_that_failed_or_go_are_rows_of_who_manages(
    weir: ApiWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = NOW + timedelta(days=2)

    def kept(self: CopyKeeper, record: Any) -> list[KeptCopy]:
        bad, old = (
            MaskedCopy(
                f"masked-copy-{name}",
                "prod",
                f"{name}.masked-1",
                f"prod/{name}",
                "",
                ("user", "ana"),
                None,
                state,
                text,
            )
            for name, state, text in (("orders", CopyState.FAILED, "No room."), ("vault", CopyState.READY, ""))
        )
        return [KeptCopy(bad, ("User:app",), None), KeptCopy(old, (), ends)] if record.name == "prod" else []

    monkeypatch.setattr(CopyKeeper, "kept", kept)
    failed, unneeded = rows(weir.admin, "masked-copy")
    assert (
        failed["subject"] + " " + failed["text"]
        == "The masked copy of prod/orders failed, and User:app reads it: No room."
    )
    assert (unneeded["subject"], unneeded["tone"]) == ("1 masked copy", "news")
    assert unneeded["until"] is not None
    assert rows(weir.user("petra"), "masked-copy") == []
