"""The web pages in a real browser on the demo: journeys, every page by axe-core, complaints about others, limits.

The tests themselves are ui/e2e/*.spec.ts, so that those who work on the pages run them without Python; here each file
is one test of `weir test`. Without a browser or Node they are skipped, and the reason names what to install.
"""

from __future__ import annotations

import pytest

from tests.conftest import RunningWeir
from tests.e2e.browser import UI, browser_missing, packages_missing, run_spec

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.slow, pytest.mark.timeout(600, func_only=True)]

SPECS = sorted(path.name.removesuffix(".spec.ts") for path in (UI / "e2e").glob("*.spec.ts"))


def test_every_spec_file_is_found() -> None:
    assert {"journeys", "pages", "limits"} <= set(SPECS)


@pytest.fixture(scope="module")
def browser() -> None:
    """Asked before the demo is started for nothing."""
    if reason := browser_missing():
        pytest.skip(reason)


@pytest.mark.parametrize("spec", SPECS)
def test_in_a_browser(browser: None, demo: RunningWeir, spec: str) -> None:
    if reason := packages_missing():
        pytest.skip(reason)
    outcome = run_spec(spec, demo.url, demo.home / "tokens", timeout=540)
    print(outcome.text[-4000:])
    assert outcome.failed == []
    assert outcome.passed > 0
