"""Recognizers tried before they count: on values the user brings, or on the newest records of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from api.features.detections.trial_answers import TrialField, TrialOnDataset, TrialOnValues
from api.joins.connections import Connections
from catalog.datasets.datasets import Datasets
from catalog.declared.kinds import RecognizerSpec
from catalog.errors import InvalidInput, NotAllowed
from catalog.paths import FieldPath
from catalog.ports import CatalogStore
from catalog.records import DatasetRecord, DeclaredDocument
from scanners.model import Recognizer, SampleRequest, Strategy
from scanners.scan.service import Scanner
from scanners.scan.trial import Analyzers, trial

MAX_VALUES = 10_000

_OF_PRESIDIO = frozenset(
    {"type", "enabled", "supported_languages", "global_regex_flags", "apiVersion", "kind", "metadata"}
)
"""Further keys of presidio's files, which make no difference here."""


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

    def __init__(
        self,
        analyzers: Analyzers,
        scanner: Scanner,
        connections: Connections,
        datasets: Datasets,
        declared: Callable[[], Sequence[DeclaredDocument]],
    ) -> None:
        """`declared` gives the documents of kind Recognizer."""
        self._analyzers = analyzers
        self._declared = declared
        self._scanner = scanner
        self._connections = connections
        self._datasets = datasets

    def declared_by_another(self, recognizer: Recognizer, user: str) -> bool:
        """Whether this very recognizer counts in scans already, because somebody else than the user declared it."""
        behaviour = _what(recognizer)
        return any(
            document.applied_by not in (None, user) and _what(recognizer_of(document.spec)) == behaviour
            for document in self._declared()
        )

    def check_field(self, record: DatasetRecord, path: str | None, may: Callable[[str], bool]) -> None:
        """Raises NotAllowed for a field, or a dataset, of which no count may be shown; InvalidInput for a bad path."""
        place = str(FieldPath.parse(path)) if path else None
        known = self._datasets.schema(record.id).fields
        if place is not None and place not in {each.path for each in known}:
            raise InvalidInput(f"{record.reference} has no field {place} that a scan has seen.")
        if place is not None and not may(place):
            raise NotAllowed(
                f"You may not read {place} of {record.reference} unmasked, so a recognizer of your own cannot be tried on it;"
                " request access, or try one that somebody else declared.",
                details={"dataset": record.reference, "path": place, "reasons": ["a count would show what it holds"]},
            )
        if place is None and known and not any(may(each.path) for each in known):
            raise NotAllowed(
                f"You may read no field of {record.reference} unmasked, so a recognizer of your own cannot be tried on it;"
                " request access, or try one that somebody else declared.",
                details={"dataset": record.reference, "reasons": ["a count would show what it holds"]},
            )

    def on_values(self, recognizer: Recognizer, values: Sequence[str], path: str = "value.field") -> TrialOnValues:
        """What it finds in the values, what a scan of a field `path` would make of it, and the look-alikes it flags.

        Raises InvalidInput for no values, for more than MAX_VALUES, and for a path that cannot be read.
        """
        texts = [v for v in values if v]
        if not texts:
            raise InvalidInput("There is no value to try the recognizer on; give one text a line.")
        if len(texts) > MAX_VALUES:
            raise InvalidInput(f"{len(texts):,} values are too many; {MAX_VALUES:,} are enough.")
        return TrialOnValues.of(trial(recognizer, texts, path, self._analyzers))

    def on_dataset(
        self,
        recognizer: Recognizer,
        record: DatasetRecord,
        path: str | None,
        may: Callable[[str], bool],
        records: int = 1000,
    ) -> TrialOnDataset:
        """The fields of the newest records that the recognizer would tag. `path`: only this field is shown.

        may   whether a field's counts may be shown; of the others nothing is, and `withheld` counts them

        Raises InvalidInput for a path that is not there, Unavailable when Kafka or Spark is away. `check_field` first.
        """
        place = str(FieldPath.parse(path)) if path else None
        if record.cluster is None:
            raise InvalidInput(f"{record.reference} belongs to no cluster that can be read.")
        sample = SampleRequest(Strategy.LATEST, records)
        fields: list[TrialField] = []
        known: set[str] = set()
        unscanned: tuple[str, ...] = ()
        read = 0
        for scan in self._scanner.scan(
            self._connections.connection(record.cluster), [record.id.name], sample, [recognizer]
        ):
            read = scan.schema.window.records
            known = {profile.path for profile in scan.schema.fields}
            unscanned = scan.unscanned
            fields = [
                TrialField(path=c.path, score=c.score, matched=c.evidence["matched"], sampled=c.evidence["sampled"])
                for c in scan.classifications
                if any(r["name"] == recognizer.name for r in c.evidence["recognizers"]) and may(c.path)
            ]
        if place is not None and place not in known:
            raise InvalidInput(f"The newest {read:,} records of {record.reference} have no field {place}.")
        return TrialOnDataset(
            name=recognizer.name,
            entity=recognizer.supported_entity,
            version=recognizer.version,
            dataset=record.reference,
            records=read,
            fields=[each for each in fields if place in (None, each.path)],
            others=[each.path for each in fields if place not in (None, each.path)],
            unscanned=[each for each in unscanned if may(each)],
            withheld=sum(not may(each) for each in known),
        )


def _what(recognizer: Recognizer) -> tuple[object, ...]:
    """What it finds, whatever it is called."""
    patterns = sorted((str(each.get("regex")), float(each.get("score") or 0)) for each in recognizer.patterns)
    return recognizer.supported_entity, patterns, sorted(recognizer.deny_list), sorted(recognizer.context)


def own_recognizers(store: CatalogStore, user: str) -> frozenset[str]:
    """Names of the recognizers that a user was the last to declare."""
    return frozenset(
        name
        for each in store.documents("Recognizer")
        if each.applied_by == user
        for name in (each.key, str(each.spec.get("name")))
    )
