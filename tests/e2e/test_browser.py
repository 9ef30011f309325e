"""The web pages in a real browser on the demo: journeys, every page by axe-core, complaints about others, limits.

The tests themselves are ui/e2e/*.spec.ts, so that those who work on the pages run them without Python; here each file
is one test of `weir test --all`, and seven of them of `weir test`. All run in one process and one browser; a file that
fails and is asked again runs alone. Without a browser or Node they are skipped, and the reason names what to install.
"""

from __future__ import annotations

import pytest

from tests.conftest import RunningWeir
from tests.e2e.browser import UI, SpecResult, browser_missing, packages_missing, run_specs

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.slow, pytest.mark.timeout(600, func_only=True)]

ALWAYS = {"journeys", "offered", "pages", "safety"}
"""In every quick run: each main journey, what people may do, how pages look, and what is drawn unsafely."""

BY_TURNS = {"accessReviews", "complaints", "domains", "doors", "forms", "graph", "records", "views"}
"""Some of these are in a quick run, others with each seed."""

SPECS = sorted(path.name.removesuffix(".spec.ts") for path in (UI / "e2e").glob("*.spec.ts"))


def test_every_spec_file_is_found() -> None:
    assert {"limits"} | ALWAYS | BY_TURNS <= set(SPECS)


@pytest.fixture(scope="module")
def browser() -> None:
    """Asked before the demo is started for nothing."""
    if reason := browser_missing():
        pytest.skip(reason)


@pytest.fixture(scope="module")
def outcomes(browser: None, demo: RunningWeir, request: pytest.FixtureRequest) -> dict[str, SpecResult]:
    """What became of each file that this session has a test of."""
    if reason := packages_missing():
        pytest.skip(reason)
    tests = [item for item in request.session.items if item.path == request.path and isinstance(item, pytest.Function)]
    specs = [str(item.callspec.params["spec"]) for item in tests if hasattr(item, "callspec")]
    return run_specs(specs, demo.url, demo.home / "tokens", timeout=len(specs) * 300)


def _of(spec: str) -> object:
    return spec if spec in ALWAYS else pytest.param(spec, marks=pytest.mark.tail)


@pytest.mark.parametrize("spec", [_of(spec) for spec in SPECS if spec not in BY_TURNS])
def test_in_a_browser(outcomes: dict[str, SpecResult], demo: RunningWeir, spec: str) -> None:
    check_spec(spec, outcomes, demo)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("spec", sorted(BY_TURNS))
def test_by_turns_in_a_browser(outcomes: dict[str, SpecResult], demo: RunningWeir, spec: str) -> None:
    check_spec(spec, outcomes, demo)


def check_spec(spec: str, outcomes: dict[str, SpecResult], demo: RunningWeir) -> None:
    first = outcomes.pop(spec, None)
    outcome = first or run_specs([spec], demo.url, demo.home / "tokens", timeout=540)[spec]
    print(outcome.text[-4000:])
    assert outcome.failed == []
    assert outcome.passed > 0
