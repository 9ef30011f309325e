"""Which format each part of a topic has: the one that was known before, or what its bytes look like."""

from __future__ import annotations

from collections.abc import Sequence

from scanners.decode.formats import choose
from scanners.model import PartFormat, TopicFormat
from scanners.schemas.connect_types import marked
from scanners.schemas.registered import Schemas
from scanners.sketch.nodes import First

_SAMPLE = 200
"""Bodies by which a part's format is chosen; a batch with fewer than a tenth of it is looked at again with the next."""


class PartFormats:
    """The formats of one topic. `known` wins over what the bytes look like."""

    def __init__(self, schemas: Schemas, known: TopicFormat | None) -> None:
        self._schemas, self._known = schemas, known
        self._settled: dict[str, tuple[PartFormat, int]] = {}

    def of(self, part: str, label: str, bodies: Sequence[bytes | None], places: Sequence[First]) -> PartFormat:
        """The format of a batch's bodies, see `_of`; JSON that has schemas of Kafka Connect in it is read by those from the
        first such batch on."""
        form = self._of(part, label, bodies, places)
        if form.name == "json" and not form.options.get("connect") and any(b is not None and marked(b) for b in bodies):
            form = PartFormat("json", {**form.options, "connect": True})
            self._settled[label] = (form, self._settled[label][1])
        return form

    def reading(self, part: str, form: PartFormat) -> PartFormat:
        """How the bodies of a part are read: by columns that are counted, where their names are not known before. A task
        that did not meet the header record has no names, so they are given when the sketch is sealed."""
        if form.name != "csv" or form.options.get("header") or (self._known is not None and part != "headers"):
            return form
        return PartFormat("csv", {k: v for k, v in form.options.items() if k != "columns"})

    def _of(self, part: str, label: str, bodies: Sequence[bytes | None], places: Sequence[First]) -> PartFormat:
        """The format of a batch's bodies.

        part    key | value | headers; `label` names one header, too: `headers.trace`
        places  (timestamp in ms, partition, offset) of each record
        """
        settled = self._settled.get(label)
        if settled is not None and settled[1] >= _SAMPLE // 10:
            return settled[0]
        if self._known is not None and part != "headers":
            known = self._known.part(part)
            self._settled[label] = (known, _SAMPLE)
            return known
        sample = [b for b in bodies if b is not None][:_SAMPLE]
        if settled is not None and not sample:
            return settled[0]
        form = choose(sample, self._schemas, part)
        if "columns" in form.options and not form.options.get("header") and not _begins(bodies, places):
            # The first row of a batch from amid a partition is data, whose values must not become names of fields.
            form = PartFormat(form.name, {k: v for k, v in form.options.items() if k not in ("columns", "header")})
        self._settled[label] = (form, len(sample))
        return form


def _begins(bodies: Sequence[bytes | None], places: Sequence[First]) -> bool:
    """Whether the first body of the batch is the first of its partition, the only place of a header record."""
    first = next(row for row, body in enumerate(bodies) if body)
    return places[first][2] == 0
