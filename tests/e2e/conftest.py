"""The order of the end-to-end tests: the browser's come last, since they ask, approve, revoke and produce."""

from __future__ import annotations

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: 2 if item.get_closest_marker("spare") else item.path.name == "test_browser.py")
