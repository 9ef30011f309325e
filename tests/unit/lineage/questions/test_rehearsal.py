"""The rehearsal asks what has an answer, and what is sent to Neo4j has no size that a plan depends on."""

from __future__ import annotations

from typing import Any

import pytest

from lineage.adapters.neo4j.sent import sent
from lineage.questions.queries import Lineage
from lineage.warming.rehearsal import rehearse
from tests.twins.lineage import MemoryGraph


def test_every_question_of_a_rehearsal_reaches_something(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[int] = []
    impact, lineage = Lineage.impact, Lineage.lineage

    def counted_impact(self: Lineage, *given: Any, **more: Any) -> Any:
        answers.append(len((answer := impact(self, *given, **more)).affected))
        return answer

    def counted_lineage(self: Lineage, *given: Any, **more: Any) -> Any:
        answers.append(len((answer := lineage(self, *given, **more)).nodes) - 1)
        return answer

    monkeypatch.setattr(Lineage, "impact", counted_impact)
    monkeypatch.setattr(Lineage, "lineage", counted_lineage)
    rounds = rehearse(MemoryGraph(), 30)
    # From a field of the first layer nothing is upstream; everything else is in the middle.
    assert rounds >= 3 and len(answers) == 20 * rounds
    assert sum(count == 0 for count in answers) <= rounds


def test_lists_and_texts_are_sent_in_a_map() -> None:
    text, given = sent(
        "UNWIND $keys AS key MATCH (n {key: key, of: $key}) RETURN n LIMIT $rows",
        {"keys": ["a"], "key": "k", "rows": 5},
    )
    assert text == "UNWIND $of.keys AS key MATCH (n {key: key, of: $of.key}) RETURN n LIMIT $rows"
    assert given == {"rows": 5, "of": {"keys": ["a"], "key": "k"}}
    assert sent("RETURN $time", {"time": 1}) == ("RETURN $time", {"time": 1})
