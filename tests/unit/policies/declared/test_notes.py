"""What a plan notes of a document beside what its text shows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.policies.world import World


@pytest.mark.parametrize(
    ("approvers", "quorum", "noted"),
    [
        ({"users": ["petra"]}, 2, 1),
        ({"users": ["petra", "Petra"]}, 2, 1),
        ({"users": ["petra", "otto"]}, 2, 0),
        ({"users": ["petra"], "groups": ["privacy"]}, 2, 0),
        ({"owners": True}, 3, 0),
    ],
)
def test_a_stage_that_nobody_passes_is_noted(approvers: dict[str, Any], quorum: int, noted: int) -> None:
    spec = {"match": {"tags": ["PII"]}, "stages": [{"name": "privacy", "approvers": approvers, "quorum": quorum}]}
    notes = World().state.notes("Workflow", "personal-data", spec)
    assert len(notes) == noted
    assert all(f"stage privacy asks for {quorum} approvals and names 1 of the people" in each for each in notes)
