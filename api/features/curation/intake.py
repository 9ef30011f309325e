"""Takes the table of what is declared back: a plan of changes, then the changes, as `weir apply` would make them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from api.features.curation.answers import RefusedLine, TableChange, TableRead
from api.features.curation.reading import Line, lines, part
from api.features.declared.known import KnownDocuments
from api.joins.dataset_documents import DatasetDocuments
from api.joins.declared import DeclaredService
from api.visibility.readers import Reader, Readers
from catalog.curation.properties import Kinds
from catalog.declared.documents import WrittenDocument
from catalog.errors import DatasetNotFound, InvalidInput, NotAllowed, WeirError
from catalog.paths import FieldPath
from policies.model import Subject

_SHOWN = 20


@dataclass(slots=True)
class _Sheet:
    """The lines of each dataset, in order, and those that are refused."""

    lines: dict[str, list[Line]] = field(default_factory=dict)
    refused: list[RefusedLine] = field(default_factory=list)
    count: int = 0


class TableIntake:
    """Reads tables."""

    def __init__(
        self, declared: DeclaredService, documents: DatasetDocuments, known: KnownDocuments, readers: Readers
    ) -> None:
        self._declared, self._documents, self._known, self._readers = declared, documents, known, readers

    def take(
        self, subject: Subject, later: Callable[[], Subject], text: str, *, dry_run: bool, skip_refused: bool
    ) -> TableRead:
        """Raises InvalidInput where lines are refused and would not be skipped, naming each."""
        properties = {each["metadata"]["name"]: each["spec"] for each in self._declared.documents("Property", None)}
        sheet = _sheet(text, properties)
        reader = self._readers.of(subject)
        planned: list[tuple[WrittenDocument, TableChange]] = []
        unchanged = 0
        for reference, of_dataset in sheet.lines.items():
            try:
                before, after = self._changed(reader, subject, reference, of_dataset, properties)
                if before == after:
                    unchanged += 1
                    continue
                answer = self._declared.apply(json.dumps(after), subject, dry_run=True, prune=False)
                change = answer.changes[0].change
                planned.append((after, TableChange(dataset=reference, action=change.action, diff=change.diff)))
            except _Refused as refused:
                sheet.refused.append(refused.line)
            except WeirError as error:
                first = of_dataset[0].number
                sheet.refused.append(RefusedLine(line=first, dataset=reference, message=error.message))
        sheet.refused.sort(key=lambda each: each.line)
        if not dry_run and sheet.refused and not skip_refused:
            raise InvalidInput(_sentence(sheet.refused), details={"refused": [r.model_dump() for r in sheet.refused]})
        if not dry_run and planned:
            text = "".join(f"---\n{json.dumps(document)}\n" for document, _ in planned)
            self._declared.apply(text, subject, dry_run=False, prune=False, later=later)
        return TableRead(
            lines=sheet.count,
            unchanged=unchanged,
            changes=[change for _, change in planned],
            refused=sheet.refused,
            applied=not dry_run,
        )

    def _changed(
        self, reader: Reader, subject: Subject, reference: str, of_dataset: list[Line], properties: Kinds
    ) -> tuple[WrittenDocument, WrittenDocument]:
        """The document before and after. Raises _Refused for a line, WeirError for the dataset."""
        record = reader.datasets.clusters.find(reference)
        if record.reference != reference:
            raise DatasetNotFound(f"There is no dataset {reference[:200]!r}; its name is {record.reference}.")
        before = self._documents.of(record)
        key = f"{before['metadata']['cluster']}/{before['metadata']['name']}"
        shown = self._known.of_kind(subject, "Dataset", key)
        if before["spec"] and [each["spec"] for each in shown] != [before["spec"]]:
            raise NotAllowed(f"You may not know all that is declared of {reference}, so a table does not change it.")
        spec = before["spec"]
        fields = {each["path"]: each for each in spec.get("fields") or ()}
        known = {each.path for each in reader.datasets.schema(record.id).fields} | set(fields)
        for line in of_dataset:
            try:
                if not line.field:
                    spec = part(line, spec, properties)
                    continue
                path = str(FieldPath.parse(line.field))
                if known and path not in known:
                    raise InvalidInput(f"{reference} has no field {path[:200]}.")
                fields[path] = part(line, fields.get(path, {"path": path}), properties)
            except WeirError as error:
                refused = RefusedLine(line=line.number, dataset=reference, message=error.message)
                raise _Refused(refused) from None
        order = list(fields)
        kept = [fields[path] for path in order if fields[path].keys() - {"path"}]
        rest = {k: v for k, v in spec.items() if k != "fields"}
        if list(spec.get("fields") or ()) != kept:
            spec = {**rest, **({"fields": kept} if kept else {})}
        return before, {**before, "spec": spec}


class _Refused(Exception):
    """A line that is refused."""

    def __init__(self, line: RefusedLine) -> None:
        super().__init__(line.message)
        self.line = line


def _sheet(text: str, properties: Kinds) -> _Sheet:
    sheet, seen = _Sheet(), set[tuple[str, str]]()
    for each in lines(text, properties):
        sheet.count += 1
        if isinstance(each, tuple):
            number, dataset, problem = each
            sheet.refused.append(RefusedLine(line=number, dataset=dataset, message=problem))
        elif (each.dataset, each.field) in seen:
            what = f"the field {each.field}" if each.field else "the dataset"
            problem = f"{what} has a line before this one; keep one of them."
            sheet.refused.append(RefusedLine(line=each.number, dataset=each.dataset, message=problem))
        else:
            seen.add((each.dataset, each.field))
            sheet.lines.setdefault(each.dataset, []).append(each)
    # A dataset with a line that cannot be read stays as it is.
    for dataset in {each.dataset for each in sheet.refused}:
        sheet.lines.pop(dataset, None)
    return sheet


def _sentence(refused: list[RefusedLine]) -> str:
    named = " ".join(f"Line {each.line}: {each.message}" for each in refused[:_SHOWN])
    more = f" And {len(refused) - _SHOWN} more." if len(refused) > _SHOWN else ""
    return f"{len(refused)} lines are refused, and nothing is changed. {named}{more}"
