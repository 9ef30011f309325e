"""Which declared documents came from a git checkout: read by the command, kept by apply, shown with what changed since."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from api.cli import app
from api.features.declared import commands
from api.features.declared.checkout import read_checkout, without_credentials
from api.terminal.http import Api
from tests.api_world import ApiWorld, world

API = "/api/v1"
COMMIT = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"
FROM = {"commit": COMMIT, "repository": "https://git.example.com/governance.git", "files": "roles"}
ROLES = """
apiVersion: weir/v1
kind: Role
metadata: {name: readers}
spec: {read: [{dataset: prod/*}]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: writers}
spec: {read: [{dataset: prod/a}]}
"""
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def weir(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path / "weir") as created:
        yield created


def origins(weir: ApiWorld, kind: str = "Role") -> dict[str, dict[str, Any]]:
    answer = weir.admin.get(f"{API}/declared/{kind}/origins")
    assert answer.status_code == 200, answer.text
    return {each["name"]: each for each in answer.json()["origins"]}


def test_an_apply_of_a_checkout_is_noted_and_one_without_is_not(weir: ApiWorld) -> None:
    weir.apply(ROLES.replace("readers", "others"))
    assert origins(weir) == {}
    weir.apply(ROLES, **FROM)
    noted = origins(weir)
    assert noted.keys() == {"readers", "writers"}
    one = noted["readers"]
    assert (one["commit"], one["path"], one["dirty"], one["by"]) == (COMMIT, "roles", False, "admin")
    assert one["repository"] == FROM["repository"] and not one["changed"] and "changedBy" not in one


def test_a_change_by_hand_is_shown_until_the_checkout_is_applied_again(weir: ApiWorld) -> None:
    weir.apply(ROLES, **FROM)
    weir.apply(ROLES.replace("prod/*", "prod/b"))
    noted = origins(weir)
    assert (noted["readers"]["changed"], noted["readers"]["changedBy"]) == (True, "admin")
    assert noted["readers"]["changedAt"] >= noted["readers"]["at"]
    assert not noted["writers"]["changed"]
    weir.apply(ROLES)
    assert not origins(weir)["readers"]["changed"], "it is again what the commit holds"
    weir.apply(ROLES.replace("prod/*", "prod/c"))
    weir.apply(ROLES, **{**FROM, "commit": "f" * 40, "dirty": "true"})
    again = origins(weir)["readers"]
    assert (again["commit"], again["dirty"], again["changed"]) == ("f" * 40, True, False)


def test_a_dry_run_notes_nothing_and_a_deleted_document_is_forgotten(weir: ApiWorld) -> None:
    weir.apply(ROLES, **FROM, dryRun="true")
    assert origins(weir) == {}
    weir.apply(ROLES, **FROM)
    assert weir.admin.delete(f"{API}/declared/Role/readers").status_code == 200
    weir.apply(ROLES)
    assert origins(weir).keys() == {"writers"}
    weir.apply(ROLES.split("---")[0], prune="true")
    assert origins(weir) == {}


def test_a_dataset_goes_by_its_cluster_and_name(weir: ApiWorld) -> None:
    weir.apply(
        'apiVersion: weir/v1\nkind: Cluster\nmetadata: {name: prod}\nspec: {bootstrapServers: "localhost:9092"}\n---\n'
        "apiVersion: weir/v1\nkind: Dataset\nmetadata: {name: orders, cluster: prod}\nspec: {description: Orders}\n",
        **FROM,
    )
    assert {name: each["changed"] for name, each in origins(weir, "Dataset").items()} == {"prod/orders": False}
    assert not origins(weir, "Cluster")["prod"]["changed"]


def test_origins_are_for_those_who_manage_or_read_the_audit(weir: ApiWorld) -> None:
    assert weir.user("ana").get(f"{API}/declared/Role/origins").status_code == 403
    assert weir.admin.get(f"{API}/declared/Nothing/origins").status_code == 400


@pytest.mark.parametrize(
    "wrong",
    [
        {"commit": "main"},
        {"repository": "x"},
        {"files": "a"},
        {"dirty": "true"},
        {"commit": COMMIT, "repository": "a\x1b"},
    ],
)
def test_a_part_of_a_checkout_is_refused(weir: ApiWorld, wrong: dict[str, str]) -> None:
    answer = weir.admin.post(
        f"{API}/apply", params=wrong, content=ROLES.encode(), headers={"Content-Type": "application/yaml"}
    )
    assert answer.status_code == 400 and answer.json()["error"]["message"], answer.text
    assert origins(weir) == {}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://me:secret@git.example.com/a/b.git?token=x", "https://git.example.com/a/b.git"),
        ("git@git.example.com:a/b.git", "git.example.com:a/b.git"),
        ("ssh://git@git.example.com/a", "ssh://git.example.com/a"),
        ("/home/somebody/governance", "governance"),
        ("file:///home/somebody/governance", "governance"),
        ("../governance", "governance"),
    ],
)
def test_an_address_is_kept_without_credentials_and_folders(given: str, kept: str) -> None:
    assert without_credentials(given) == kept


def git(folder: Path, *words: str) -> str:
    named = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(folder), *named, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [each for each in os.environ if each.startswith("GIT_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "governance"
    (folder / "roles").mkdir(parents=True)
    (folder / "roles" / "roles.yaml").write_text(ROLES)
    (folder / "more.yaml").write_text(ROLES)
    git(folder.parent, "init", "-q", str(folder))
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Roles")
    return folder


@needs_git
def test_a_checkout_is_read_with_its_commit_path_and_changes(checkout: Path, tmp_path: Path) -> None:
    roles = checkout / "roles"
    first = read_checkout([roles])
    assert first is not None
    assert (first.repository, first.path, first.dirty) == ("governance", "roles", False)
    assert first.commit == git(checkout, "rev-parse", "HEAD")
    git(checkout, "remote", "add", "origin", "https://me:secret@git.example.com/g.git")
    (checkout / "more.yaml").write_text("")
    clean = read_checkout([roles / "roles.yaml"])
    assert clean is not None and (clean.dirty, clean.path) == (False, "roles/roles.yaml")
    assert clean.repository == "https://git.example.com/g.git"
    both = read_checkout([roles, checkout / "more.yaml"])
    assert both is not None and (both.dirty, both.path) == (True, ".")
    (roles / "new.yaml").write_text("")
    untracked = read_checkout([roles])
    assert untracked is not None and untracked.dirty
    (tmp_path / "beside.yaml").write_text("")
    assert read_checkout([tmp_path / "beside.yaml"]) is None
    assert read_checkout([roles, tmp_path / "beside.yaml"]) is None
    assert read_checkout([Path("-")]) is None


def test_without_git_nothing_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert read_checkout([tmp_path]) is None


@needs_git
def test_the_command_reports_the_checkout_and_shows_it(weir: ApiWorld, checkout: Path, monkeypatch: Any) -> None:
    client = Api.__new__(Api)
    client.url, client._names = "http://testserver", None
    client._client = weir.admin  # type: ignore[assignment]  # of httpx2, which has the methods of httpx
    monkeypatch.setattr(commands, "api", lambda user=None: client)

    def call(*arguments: str) -> Any:
        done = CliRunner().invoke(app, list(arguments))
        assert done.exit_code == 0, done.output
        return done

    assert "was applied from a git checkout" in call("get", "Role", "--origin").stdout
    assert "differ from commit" not in call("apply", "-f", str(checkout / "roles")).stderr
    shown = call("get", "Role", "--origin").stdout
    assert "as in git" in shown and git(checkout, "rev-parse", "HEAD")[:8] in shown
    (checkout / "roles" / "roles.yaml").write_text(ROLES.replace("prod/*", "prod/b"))
    assert "differ from commit" in call("apply", "-f", str(checkout / "roles")).stderr
    assert "not committed" in call("get", "Role", "readers", "--origin").stdout
    weir.apply(ROLES)
    assert "changed since" in call("get", "Role", "readers", "--origin").stdout
