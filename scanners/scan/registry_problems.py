"""Which problems of the schema registry are those of one topic: a scan asks it for many topics at once. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scanners.model import RegisteredSchema
from scanners.schemas.registered import of_topic
from scanners.sketch.topic import Sketch

Problem = Mapping[str, Any]


def of_one_topic(
    problems: Sequence[Problem], topic: str, sketch: Sketch, schemas: Mapping[int, RegisteredSchema]
) -> list[Problem]:
    """The problems that name a subject of the topic or a schema id that its records name, and those that name neither:
    they hold for every topic. Of a list of ids, those of the topic are kept."""
    numbers = {str(number) for ids in sketch.ids.values() for number in ids} | set(sketch.unknown_ids)
    subjects = {subject for number, schema in schemas.items() if str(number) in numbers for subject in schema.subjects}

    def is_mine(number: Any) -> bool:
        schema = schemas.get(number) if isinstance(number, int) else None
        return str(number) in numbers or (schema is not None and any(of_topic(s, topic) for s in schema.subjects))

    own: list[Problem] = []
    for problem in problems:
        if "subject" in problem:
            if problem["subject"] in subjects or of_topic(str(problem["subject"]), topic):
                own.append(problem)
        elif "ids" in problem:
            if mine := [number for number in problem["ids"] if is_mine(number)]:
                own.append({**problem, "ids": mine})
        elif "id" not in problem or is_mine(problem["id"]):
            own.append(problem)
    return own
