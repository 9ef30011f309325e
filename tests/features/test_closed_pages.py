"""Figures and the description of the API: open by default, for the signed-in alone where a setting closes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.config.http_settings import ApiSettings
from api.config.settings import Settings
from tests.api_world import world

PAGES = {"/metrics": "open_metrics", "/docs": "open_docs", "/openapi.json": "open_docs"}


@pytest.mark.tail
def test_they_are_open_by_default(tmp_path: Path) -> None:
    with world(tmp_path) as weir:
        anonymous = weir.anonymous()
        assert {path: anonymous.get(path).status_code for path in PAGES} == dict.fromkeys(PAGES, 200)


@pytest.mark.parametrize("setting", sorted(set(PAGES.values())))
def test_a_setting_closes_them(tmp_path: Path, setting: str) -> None:
    settings = Settings(api=ApiSettings.model_validate({setting: False}))
    with world(tmp_path, settings=settings) as weir:
        anonymous = weir.anonymous()
        for path, closed_by in PAGES.items():
            answer = anonymous.get(path)
            assert answer.status_code == (401 if closed_by == setting else 200), path
            if closed_by == setting:
                assert answer.json()["error"]["code"] == "not_signed_in"
                assert weir.admin.get(path).status_code == 200
                wrong = anonymous.get(path, headers={"Authorization": "Bearer weir_wrong"})
                assert wrong.status_code == 401
        assert anonymous.get("/healthz").status_code == 200
