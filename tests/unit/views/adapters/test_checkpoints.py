"""Folders with the state of views: nothing of a view that is gone stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.errors import Unavailable
from views.adapters.checkpoints import delete_checkpoint, delete_empty_folders


def made(root: Path, *names: str) -> None:
    for name in names:
        (root / name / "state").mkdir(parents=True)
        (root / name / "state" / "1.delta").write_text("x")


@pytest.mark.parametrize("start", ["", "file://"])
def test_the_folder_of_a_view_goes_with_its_last_generation(tmp_path: Path, start: str) -> None:
    made(tmp_path, "shop.orders/1", "shop.orders/2", "vans/1")
    delete_checkpoint(f"{start}{tmp_path}/shop.orders/1")
    assert sorted(each.name for each in (tmp_path / "shop.orders").iterdir()) == ["2"]
    delete_checkpoint(f"{start}{tmp_path}/shop.orders/2")
    assert [each.name for each in tmp_path.iterdir()] == ["vans"]
    delete_checkpoint(f"{start}{tmp_path}/shop.orders/2")
    delete_checkpoint(f"{start}{tmp_path}/vans/1")
    assert tmp_path.is_dir() and not list(tmp_path.iterdir())


def test_empty_folders_from_before_go_and_others_stay(tmp_path: Path) -> None:
    made(tmp_path, "vans/1")
    for name in ("shop.orders", "gone"):
        (tmp_path / name).mkdir()
    (tmp_path / "a file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "vans")
    assert delete_empty_folders(str(tmp_path)) == 2 and delete_empty_folders(f"{tmp_path}/nothing") == 0
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a file", "link", "vans"]
    assert delete_empty_folders("s3a://bucket/views") == 0


def test_a_checkpoint_that_stays_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path, "vans/1")
    monkeypatch.setattr("shutil.rmtree", lambda path, ignore_errors: None)
    with pytest.raises(Unavailable, match="cannot be deleted"):
        delete_checkpoint(f"{tmp_path}/vans/1")
