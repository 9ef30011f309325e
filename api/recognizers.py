"""Recognizers tried before they count: on values the user brings, or on the newest records of a dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from api.clusters import Connections
from catalog.datasets import Datasets
from catalog.errors import InvalidInput
from catalog.kinds import RecognizerSpec
from catalog.paths import FieldPath
from scanners.model import Recognizer, SampleRequest, Strategy
from scanners.scan import Scanner
from scanners.trial import Analyzers, trial

MAX_VALUES = 10_000

_OF_PRESIDIO = frozenset(
    {"type", "enabled", "supported_languages", "global_regex_flags", "apiVersion", "kind", "metadata"}
)
"""What presidio's files say besides, and what makes no difference here."""


def recognizer_of(given: Mapping[str, Any]) -> Recognizer:
    """A recognizer from `kind: Recognizer`, from its spec alone, or from an entry of presidio's `recognizers:`.

    Raises InvalidInput naming the field that does not fit.
    """
    spec = given.get("spec") if given.get("kind") == "Recognizer" or "spec" in given else given
    name = (given.get("metadata") or {}).get("name") if isinstance(given.get("metadata"), Mapping) else None
    if not isinstance(spec, Mapping):
        raise InvalidInput("A recognizer has a spec with supported_entity, and patterns or a deny_list.")
    if spec is given:
        spec = {key: value for key, value in given.items() if key not in _OF_PRESIDIO}
    try:
        read = RecognizerSpec.model_validate(dict(spec))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the recognizer"
        raise InvalidInput(f"In the recognizer, {where}: {first['msg']}.", details={"field": where}) from None
    fields = read.model_dump(exclude_none=True)
    return Recognizer.from_json({**fields, "name": read.name or name or read.supported_entity.lower()})


class Recognizers:
    """Tries recognizers; nothing is stored."""

    def __init__(self, analyzers: Analyzers, scanner: Scanner, connections: Connections, datasets: Datasets) -> None:
        self._analyzers = analyzers
        self._scanner = scanner
        self._connections = connections
        self._datasets = datasets

    def on_values(self, recognizer: Recognizer, values: Sequence[str], path: str = "value.field") -> dict[str, Any]:
        """What it finds in the values, what a scan of a field `path` would make of it, and the look-alikes it flags.

        Raises InvalidInput for no values, for more than MAX_VALUES, and for a path that cannot be read.
        """
        texts = [v for v in values if v]
        if not texts:
            raise InvalidInput("There is no value to try the recognizer on; give one text a line.")
        if len(texts) > MAX_VALUES:
            raise InvalidInput(f"{len(texts):,} values are too many; {MAX_VALUES:,} tell as much.")
        return trial(recognizer, texts, path, self._analyzers).to_json()

    def on_dataset(
        self, recognizer: Recognizer, reference: str, path: str | None, records: int = 1000
    ) -> dict[str, Any]:
        """The fields of the newest records that the recognizer would tag. `path`: only this field is told.

        Raises DatasetNotFound, InvalidInput for a path that is not there, Unavailable when Kafka or Spark is away.
        """
        place = str(FieldPath.parse(path)) if path else None
        record = self._datasets.get(self._datasets.find(reference))
        if record.cluster is None:
            raise InvalidInput(f"{record.reference} belongs to no cluster that can be read.")
        sample = SampleRequest(Strategy.LATEST, records)
        fields: list[dict[str, Any]] = []
        known: set[str] = set()
        unscanned: tuple[str, ...] = ()
        read = 0
        for found in self._scanner.scan(
            self._connections.connection(record.cluster), [record.id.name], sample, [recognizer]
        ):
            read = found.schema.window.records
            known = {profile.path for profile in found.schema.fields}
            unscanned = found.unscanned
            fields = [
                {"path": c.path, "score": c.score, "matched": c.evidence["matched"], "sampled": c.evidence["sampled"]}
                for c in found.classifications
                if any(r["name"] == recognizer.name for r in c.evidence["recognizers"])
            ]
        if place is not None and place not in known:
            raise InvalidInput(f"The newest {read:,} records of {record.reference} have no field {place}.")
        shown = [f for f in fields if place is None or f["path"] == place]
        return {
            "name": recognizer.name, "entity": recognizer.supported_entity, "version": recognizer.version,
            "dataset": record.reference, "records": read, "fields": shown,
            "others": [f["path"] for f in fields if f not in shown], "unscanned": list(unscanned),
        }  # fmt: skip
