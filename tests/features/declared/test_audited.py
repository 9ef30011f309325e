"""A change of declared state and its entry in the audit are one: without the entry there is no change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from catalog.errors import Unavailable
from policies.audit.log import AuditLog
from tests.api_world import world

PURPOSE = "apiVersion: weir/v1\nkind: Purpose\nmetadata: {name: support}\nspec: {description: A}\n"
YAML = {"Content-Type": "application/yaml"}


def refuse(*_: Any, **__: Any) -> None:
    raise Unavailable("The audit does not answer.", details={})


def test_nothing_is_declared_or_deleted_that_the_audit_does_not_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with world(tmp_path) as weir:
        with monkeypatch.context() as without:
            without.setattr(AuditLog, "record", refuse)
            assert weir.admin.post("/api/v1/apply", content=PURPOSE, headers=YAML).status_code == 503
        assert weir.admin.get("/api/v1/declared/Purpose").json()["documents"] == []
        weir.apply(PURPOSE)
        with monkeypatch.context() as without:
            without.setattr(AuditLog, "record", refuse)
            assert weir.admin.delete("/api/v1/declared/Purpose/support").status_code == 503
        assert len(weir.admin.get("/api/v1/declared/Purpose").json()["documents"]) == 1
        actions = [entry["action"] for entry in weir.admin.get("/api/v1/audit").json()["entries"]]
        assert actions.count("apply") == 1 and "delete" not in actions
