"""Every door at which somebody may ask a question about records goes through one function, and leaves an audit entry."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROUTES = sorted(
    {
        *(ROOT / "api" / "http").rglob("*.py"),
        *(ROOT / "api" / "guard").rglob("*.py"),
        *(ROOT / "api" / "features").rglob("*.py"),
    }
)
POLICIES = sorted((ROOT / "policies").rglob("*.py"))

GATE = {
    "policies/query/door.py": "the one door",
    "policies/query/catalog_statements.py": "writes its own SQL about columns that were decided",
    "policies/query/stream_state.py": "writes its own SQL about the newest time",
}
"""Who may call `gate.check`: everything else goes through `AuditedGate`."""
ENGINE = {
    "policies/query/service.py": "opens what `AuditedGate` let in",
    "policies/query/steps.py": "runs what `AuditedGate` let in",
    "policies/query/check.py": "analyses what `AuditedGate` let in",
    "policies/engine/engine.py": "the engine itself, watched: passes on what the others ask",
    "policies/whatif/mask_preview.py": "computes a mask over values of the caller's own; its route records",
}
"""Who may ask the engine."""
THEMSELVES = {
    "GovernedQuery",
    "Browser",
    "QueryCheck",
    "Completion",
    "PolicyTests",
    "PolicySimulation",
    "Decisions",
    "ViewRows",
    "ViewChanges",
}
"""Services that answer questions about what somebody may see, and write the audit themselves."""
BY_ROUTE = {"MaskPreview", "Simulation", "Recognizers"}
"""Services of that kind whose route writes the audit."""
OTHERS = set(
    "CurationEdits DataProducts GlossaryTree TableExport TableIntake "
    "AccessReviews Agents Announcements Approvals AuditLog AuditSegments AuditShipping BrokerRights Bundles CatalogStore"
    " Certificates"
    " Clicks ClusterRemoval ClusterTrial Connections Connectors ConsumerReads Contracts CopyKeeper Datasets"
    " DeclaredService Descriptions"
    " Detections"
    " DeviceLogins DirectoryList DirectoryPeople Discovery DomainAudit DomainRights Duties EffectiveAccess Events Extensions"
    " FactsSource GovernanceState Grants GroupLags Guard Health Identity Incidents Ingest Knowledge KnownDocuments KnownViews"
    " Lineage Notify Observing Places ProducerCatalog PurposeUse Quality Readers Reconciliation Related RequestView ReviewLimits"
    " Reviews SavedQueries Scans ScimService Search Sessions Settings SightRules SignIn Signer SourceMasking"
    " SqlLineageSliver TopicPages"
    " AllQueries Questions ResponsiblePeople SuggestedOwners"
    " Verdicts ViewDiffs ViewRemovals Views VisibleEvents WhereIs Inboxes PolicyReaches".split()
)
"""Services and helpers that evaluate nothing a caller gives on stored values."""


def calls(tree: ast.AST, owner: str, name: str) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == name and ast.unparse(node.value).endswith(owner)
        for node in ast.walk(tree)
    )


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_door_calls_the_gate_and_few_ask_the_engine(path: Path) -> None:
    name, tree = str(path.relative_to(ROOT)), ast.parse(path.read_text())
    assert calls(tree, "gate", "check") is (name in GATE), f"{name}: go through policies.query.door.AuditedGate"
    asks = any(calls(tree, "_engine", method) for method in ("run", "open", "check"))
    if "adapters" not in path.parts:
        assert asks is (name in ENGINE), f"{name}: who asks the engine is listed in {Path(__file__).name}"


def handlers() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef, ast.Module]]:
    for path in ROUTES:
        tree = ast.parse(path.read_text())
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(
                ast.unparse(each).startswith("router.") for each in node.decorator_list
            ):
                yield path.name, node, tree


def used(node: ast.AST) -> set[str]:
    """The types of the services that a function takes by `From[...]`, or takes out of the instance."""
    return {
        ast.unparse(each.slice)
        for each in ast.walk(node)
        if isinstance(each, ast.Subscript)
        and isinstance(each.value, ast.Name)
        and each.value.id in ("From", "built", "instance")
        and ast.unparse(each.slice)[0].isupper()
    }


def parameters_of(node: ast.FunctionDef | ast.AsyncFunctionDef, service: str) -> list[str]:
    """Names of the parameters by which a function takes a service."""
    return [
        each.arg
        for each in node.args.args
        if each.annotation is not None and ast.unparse(each.annotation) in (service, f"From[{service}]")
    ]


@pytest.mark.parametrize(("file", "node", "tree"), [pytest.param(*h, id=f"{h[0]}:{h[1].name}") for h in handlers()])
def test_routes_that_evaluate_record(file: str, node: ast.FunctionDef | ast.AsyncFunctionDef, tree: ast.Module) -> None:
    services = used(node)
    if services & BY_ROUTE and not services & THEMSELVES:
        assert "AuditLog" in services, f"{file}:{node.name} evaluates what the caller gives; record it in the audit"
    # Nothing of a service's inside is reached around it.
    queries = ["built[GovernedQuery]", *parameters_of(node, "GovernedQuery")]
    inside = ("built.engine", *(f"{each}.{part}" for each in queries for part in ("preparer", "trail", "_")))
    around = [
        ast.unparse(each)
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute) and ast.unparse(each).startswith(inside)
    ]
    assert not around, f"{file}:{node.name} reaches {around}; add a method to the service, which records"


def test_the_services_of_the_routes_are_the_known_ones() -> None:
    """A new service of a route is either one that answers questions about records, and is listed above, or not."""
    known = THEMSELVES | BY_ROUTE | OTHERS
    composing = {"wiring.py", "services.py"}  # these join services, and answer nobody
    matches = {name for path in ROUTES if path.name not in composing for name in used(ast.parse(path.read_text()))}
    assert not matches - known, f"{sorted(matches - known)}: do they evaluate what a caller gives on stored values?"
