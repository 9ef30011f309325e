"""`weir test --changed`: tests are chosen by the import graph, the nearest ones first."""

from __future__ import annotations

import subprocess
from pathlib import Path

import grimp
import pytest

from tools.testing import changed
from tools.testing.imports import JOINS, distances, files_by_distance


@pytest.fixture
def graph() -> grimp.ImportGraph:
    """c imports b, b imports a; `wiring` imports b and much else; `app` imports the wiring."""
    graph = grimp.ImportGraph()
    for importer, module in [("b", "a"), ("c", "b"), ("wiring", "b"), ("app", "wiring")]:
        graph.add_import(importer=importer, imported=module)
    for number in range(JOINS):
        graph.add_import(importer="wiring", imported=f"other{number}")
    return graph


def test_importers_are_followed_but_not_through_what_joins_everything(graph: grimp.ImportGraph) -> None:
    assert distances(graph, ["a"]) == {"a": 0, "b": 1, "c": 2}


def test_a_change_of_what_joins_everything_reaches_its_importers(graph: grimp.ImportGraph) -> None:
    assert distances(graph, ["wiring"]) == {"wiring": 0, "app": 1}


def test_a_module_that_is_gone_reaches_nothing(graph: grimp.ImportGraph) -> None:
    assert distances(graph, ["deleted"]) == {}


def test_tests_come_by_distance_also_through_helpers(tmp_path: Path) -> None:
    files = {
        "world.py": "from rooms.b import build\n",
        "test_near.py": "import rooms.a\n",
        "test_inside.py": "def test_it():\n    from rooms import a\n",
        "test_through.py": "from tests.world import World\n",
        "test_far.py": "import rooms.c\n",
        "test_apart.py": "import json\n",
    }
    (tmp_path / "tests").mkdir()
    for name, text in files.items():
        (tmp_path / "tests" / name).write_text(text)
    chosen = files_by_distance(tmp_path, {"rooms.a": 0, "rooms.b": 1, "rooms.c": 2})
    assert chosen == [f"tests/test_{name}.py" for name in ("inside", "near", "far", "through")]
    assert files_by_distance(tmp_path, {}, ["tests/test_apart.py", "tests/world.py"]) == [
        "tests/test_apart.py",
        "tests/test_through.py",
    ]


def test_a_feature_that_only_the_application_imports_has_the_tests_of_its_name(tmp_path: Path) -> None:
    for name in ("queries/test_saved_query.py", "access/test_tokens.py"):
        (tmp_path / "tests/unit/api" / name).parent.mkdir(parents=True)
        (tmp_path / "tests/unit/api" / name).touch()
    assert changed.by_name(tmp_path, "api.features.tokens.routes") == ["tests/unit/api/access/test_tokens.py"]
    assert changed.by_name(tmp_path, "api.features.saved_queries.routes") == [
        "tests/unit/api/queries/test_saved_query.py"
    ]


def test_committed_uncommitted_and_new_files_have_changed(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    for name in ("kept", "committed", "touched"):
        (tmp_path / name).touch()
    git("add", ".")
    git("commit", "-qm", "first")
    git("switch", "-qc", "work")
    (tmp_path / "committed").write_text("more")
    git("commit", "-qam", "second")
    (tmp_path / "touched").write_text("more")
    (tmp_path / "new").touch()
    assert changed.changed_files(tmp_path, changed.merge_base(tmp_path)) == ["committed", "new", "touched"]
    with pytest.raises(SystemExit, match="nowhere is not a commit"):
        changed.changed_files(tmp_path, "nowhere")
