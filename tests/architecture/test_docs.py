"""Docs that cannot rot: settings and routes are written from the code, links lead somewhere, nothing is named twice."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from api.app import create_app
from api.bootstrap import offline
from api.cli.reference import commands_markdown
from api.processes.reference import rights_markdown, routes_markdown, settings_markdown
from api.processes.reference_functions import functions_markdown
from api.processes.reference_kinds import kinds_markdown
from api.processes.reference_masks import with_masks
from benchmarks.report import benchmarks_markdown, reliability_markdown, scale_markdown

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_settings_page_is_what_the_code_says() -> None:
    assert (ROOT / "docs/reference/settings.md").read_text() == settings_markdown(), (
        "run python -m api.processes.reference"
    )


def test_api_page_is_what_the_code_says() -> None:
    assert (ROOT / "docs/reference/api.md").read_text() == routes_markdown(create_app(offline())), (
        "run python -m api.processes.reference"
    )


def test_the_page_of_rights_is_what_the_table_says() -> None:
    assert (ROOT / "docs/reference/who-may-call.md").read_text() == rights_markdown(), (
        "run python -m api.processes.reference"
    )


@pytest.mark.parametrize(
    ("page", "markdown"),
    [("commands", commands_markdown), ("kinds", kinds_markdown), ("functions", functions_markdown)],
)
def test_generated_pages_are_what_the_code_gives(page: str, markdown: Callable[[], str]) -> None:
    written = (ROOT / "docs/reference" / f"{page}.md").read_text()
    assert written == markdown(), "run python -m api.cli.reference"


def test_the_table_of_masks_is_what_the_masks_say() -> None:
    page = (ROOT / "docs/reference/masks.md").read_text()
    assert with_masks(page) == page, "run python -m api.cli.reference"


def test_pages_of_figures_are_what_the_results_give() -> None:
    explanation = ROOT / "docs/explanation"
    assert (explanation / "benchmarks.md").read_text() == benchmarks_markdown(), "run python -m benchmarks.report"
    assert (explanation / "reliability.md").read_text() == reliability_markdown(), "run python -m benchmarks.report"
    assert (explanation / "scale.md").read_text() == scale_markdown(), "run python -m benchmarks.report"


def test_every_route_of_the_contract_exists() -> None:
    paths = create_app(offline()).openapi()["paths"]
    contract = """
    GET /healthz, GET /readyz, GET /metrics, POST /api/v1/lineage, POST /api/v1/lineage/batch, GET /api/v1/lineage,
    GET /api/v1/impact, GET /api/v1/search, GET /api/v1/datasets, GET /api/v1/datasets/{namespace}/{name},
    GET /api/v1/datasets/{namespace}/{name}/schema, GET /api/v1/datasets/{namespace}/{name}/schema/versions,
    GET /api/v1/datasets/{namespace}/{name}/schema/diff, GET /api/v1/datasets/{namespace}/{name}/classifications,
    GET /api/v1/datasets/{namespace}/{name}/access, POST /api/v1/scans, GET /api/v1/scans/{id}, POST /api/v1/query,
    POST /api/v1/query/explain, GET /api/v1/query/stream, GET /api/v1/policies, GET /api/v1/access-requests,
    POST /api/v1/access-requests, POST /api/v1/access-requests/{id}/approve, POST /api/v1/access-requests/{id}/deny,
    POST /api/v1/access-requests/{id}/cancel, GET /api/v1/grants, DELETE /api/v1/grants/{name}, GET /api/v1/audit,
    GET /api/v1/audit/verify, GET /api/v1/reports/where-is, POST /api/v1/apply
    """
    for line in contract.replace("\n", " ").split(","):
        method, path = line.split()
        assert method.lower() in paths.get(path, {}), f"{method} {path} is missing"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"
