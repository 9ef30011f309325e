"""Contracts in files, compared without a server: with a schema that is to be released, and with each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from api.features.contracts.report import Finding, Report
from api.features.contracts.schema_files import (
    compatibility_result,
    leaves_open,
    places_left_open,
    profile_of,
    read_schema,
)
from catalog.contracts.checking import check
from catalog.contracts.contradictions import never_decided, require_consistent
from catalog.contracts.diff import contract_changes
from catalog.contracts.field_checks import undecided
from catalog.contracts.observed import Observed
from catalog.contracts.odcs import check_document
from catalog.contracts.reading import read_contract
from catalog.contracts.rules import Contract, Promise, RuleKind, State
from catalog.declared.yaml_text import compose, plain
from catalog.errors import InvalidInput
from catalog.paths import FieldPath

ONLY_SCHEMA = "Rules on what records hold are decided by scans, not by a schema."


def read_file(path: Path) -> Mapping[str, object]:
    """The ODCS document of a file, alone or as the spec of a document of kind Contract. Raises InvalidInput naming the file."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from None
    nodes = compose(text, str(path))
    documents = [value for node in nodes if (value := plain(node, (), {}, str(path))) is not None]
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise InvalidInput(f"{path} must hold one document: ODCS (kind: DataContract), or kind: Contract of Weir.")
    document = documents[0]
    return document.get("spec") or {} if document.get("kind") == "Contract" else document


def contract_of(document: Mapping[str, Any], name: str) -> Contract:
    """Raises InvalidInput that begins with the name of the file."""
    try:
        check_document(document)
        contract = read_contract(document)
        require_consistent(contract)
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error.message}", details=error.details) from None
    return contract


def lint(contract: Contract, name: str) -> Report:
    """A contract that can be read; the notes name the rules that stay undecided."""
    count = sum(len(each.rules) for each in contract.promises)
    rules = f"{count} rule" if count == 1 else f"{count} rules"
    return Report(f"{name} is a contract with {rules}", [], {}, never_decided(contract), is_read=True)


def against_schema(contract: Contract, schema: Path, old: Sequence[Path], dataset: str | None) -> Report:
    """Whether a schema keeps what a contract promises. Raises InvalidInput."""
    promise = _promise(contract, dataset)
    kind, text = read_schema(schema)
    seen = Observed(profile_of(kind, text, str(schema)), datetime.now(UTC), only_schema=True)
    results = check(promise.rules, seen)
    left_open = places_left_open(kind, text)
    for rule in promise.rules:
        if (
            rule.path
            and rule.path not in seen.fields
            and any(each.contains(FieldPath.parse(rule.path)) for each in left_open)
        ):
            results[rule.id] = undecided("the schema leaves open what is there")
    if leaves_open(kind, text):
        for rule in promise.rules:
            if rule.kind is RuleKind.CLOSED and results[rule.id].state is State.HOLDS:
                results[rule.id] = undecided(
                    "the schema allows fields that it does not name: additionalProperties is not false"
                )
    levels = [rule for rule in promise.rules if rule.kind is RuleKind.COMPATIBILITY]
    if old:
        before = [read_schema(each) for each in old]
        results |= {rule.id: compatibility_result(rule, before, (kind, text)) for rule in levels}
    decided = [rule for rule in promise.rules if rule.is_of_schema]
    findings = [Finding.of_rule(promise.dataset, rule, results[rule.id]) for rule in decided]
    left = len(promise.rules) - len(decided)
    rules_left = "1 rule was" if left == 1 else f"{left} rules were"
    notes = [f"{rules_left} left out: {ONLY_SCHEMA[0].lower()}{ONLY_SCHEMA[1:]}"] if left else []
    if old and not levels:
        notes.append(f"--old was not compared: the contract promises no compatibility of {promise.dataset}.")
    return Report(f"{schema.name} against what is promised of {promise.dataset}", findings, {}, notes)


def compared(old: Contract, new: Contract, old_name: str, new_name: str) -> Report:
    """What changed in what is promised."""
    findings = [Finding.of_change(change) for change in contract_changes(old, new)]
    return Report(f"{new_name} compared with {old_name}", findings)


def places_of_breaks(findings: Sequence[Finding]) -> dict[str, tuple[str, str | None, str]]:
    """Key -> (dataset, path, change for the impact) of each place that breaks."""
    places: dict[str, tuple[str, str | None, str]] = {}
    for each in findings:
        if not each.is_break or not each.dataset:
            continue
        gone = each.rule.endswith((":required", ":presence")) or "no such field" in each.reason
        change = "lose" if each.path is None else "drop" if gone else "retype"
        places.setdefault(f"{each.dataset}:{each.path or ''}", (each.dataset, each.path, change))
    return places


def _promise(contract: Contract, dataset: str | None) -> Promise:
    names = [each.dataset for each in contract.promises]
    if dataset is not None:
        fitting = [each for each in contract.promises if each.dataset == dataset]
        if not fitting:
            raise InvalidInput(
                f"The contract promises nothing of {dataset}; it has {', '.join(names) or 'no dataset'}."
            )
        return fitting[0]
    if len(contract.promises) != 1:
        what = f"promises {', '.join(names)}" if names else "promises nothing of any dataset"
        raise InvalidInput(f"The contract {what}; name one by --dataset.")
    return contract.promises[0]
