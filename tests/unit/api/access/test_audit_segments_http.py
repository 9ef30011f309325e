"""Segments and shipping of the audit by HTTP, with health and figures."""

from __future__ import annotations

from pathlib import Path

from api.config.settings import Settings
from policies.adapters.signing import Ed25519Signer
from policies.audit.log import AuditLog
from policies.audit.segments import AuditSegments
from policies.audit.shipping import AuditShipping
from tests.api_world import world
from tests.twins.policies.segments import MemoryReceiver


def test_segments_and_shipping_show_where_they_are(tmp_path: Path) -> None:
    receiver = MemoryReceiver()
    with world(tmp_path, audit_receiver=receiver) as w:
        w.services[Settings].policies.audit_segment_entries = 5
        for _ in range(6):
            w.services[AuditLog].record("ana", "query", "prod/orders")
        assert w.services[AuditSegments].step() is False
        answer = w.admin.get("/api/v1/audit/segments").json()
        assert [(s["number"], s["first"], s["last"], s["removedAt"]) for s in answer["segments"]][:1] == [
            (1, 1, 5, None)
        ]
        assert answer["shipping"]["place"] is None and answer["keepDays"] is None
        verified = w.admin.get("/api/v1/audit/verify").json()
        assert verified["holds"] and verified["sealed"] >= 1 and verified["removed"] is None
        assert w.admin.get("/readyz").json()["audit"] is None
        assert w.user("ana").get("/api/v1/audit/segments").status_code == 403
        assert w.anonymous().get("/api/v1/audit/segments").status_code == 401


def test_lag_and_failures_are_in_health_and_figures(tmp_path: Path) -> None:
    receiver = MemoryReceiver()
    receiver.takes = 0
    with world(tmp_path, audit_receiver=receiver) as w:
        w.services[AuditShipping]._place = "prod/audit"
        w.services[AuditLog].record("ana", "query", "prod/orders")
        w.services[AuditShipping].step()
        health = w.admin.get("/readyz").json()["audit"]
        assert health["lagEntries"] >= 1 and health["failures"] == 1 and health["cutEntries"] == 0
        text = w.admin.get("/metrics").text
        assert "weir_audit_ship_failures 1.0" in text and "weir_audit_ship_lag_entries" in text
        shipping = w.admin.get("/api/v1/audit/segments").json()["shipping"]
        assert shipping["problem"] == "The broker does not answer." and shipping["failures"] == 1


def test_a_key_that_is_not_the_one_of_the_seals_shows_in_health_and_segments(tmp_path: Path) -> None:
    with world(tmp_path) as w:
        w.services[Settings].policies.audit_segment_entries = 5
        for _ in range(6):
            w.services[AuditLog].record("ana", "query", "prod/orders")
        w.services[AuditSegments].step()
        assert w.admin.get("/readyz").json()["auditSegments"] == {"problem": None}
        w.services[AuditSegments]._signer = Ed25519Signer(lambda: b"another home")
        problem = w.admin.get("/readyz").json()["auditSegments"]["problem"]
        assert "audit_trusted_keys" in problem
        assert w.admin.get("/api/v1/audit/segments").json()["problem"] == problem
