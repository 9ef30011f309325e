"""The wheels: what is in them, and that the one of the server works where there is no checkout."""

from __future__ import annotations

import os
import site
import subprocess
import sys
import sysconfig
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from api import VERSION
from api.config.extras import EXTRAS

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "ui" / "dist" / "index.html"
ROOMS = ("api", "catalog", "connectors", "lineage", "policies", "scanners", "stack", "views")

pytestmark = pytest.mark.slow


def build(source: Path, out: Path) -> Path:
    """The wheel of a project. Web pages as they were built last: to build them is not what is tested."""
    environment = os.environ | {"WEIR_BUILD_PAGES": "kept" if PAGES.exists() else "no"}
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(source)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = out.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel, whose dependencies are those of the running Python."""
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    packages = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})["purelib"]
    (Path(packages) / "shared.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    command = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(command, check=True)
    return folder


def run(environment: Path, home: Path, *command: str) -> str:
    """What a program of the environment prints, far from the checkout."""
    home.mkdir(exist_ok=True)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("WEIR_", "PYTHON"))}
    done = subprocess.run(
        [str(environment / "bin" / command[0]), *command[1:]],
        env=inherited | {"HOME": str(home)},
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_has_one_import_package(names: set[str]) -> None:
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"weir"}


def test_everything_of_the_rooms_is_in_the_wheel(names: set[str]) -> None:
    listed = subprocess.run(["git", "ls-files", *ROOMS], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("the checkout is not a git repository, so what belongs to it is not known")
    wanted = {f"weir/_rooms/{name}" for name in listed.stdout.splitlines()}
    assert any(name.endswith(".yaml") for name in wanted)
    assert any(name.endswith(".csv") for name in wanted)
    assert wanted - names == set()
    assert "weir/_rooms/requirements/java.txt" in names


def test_nothing_else_is_in_the_wheel(names: set[str]) -> None:
    kinds = {Path(name).suffix for name in names if name.startswith("weir/_rooms/") and "/ui/" not in name}
    assert kinds <= {".py", ".yaml", ".csv", ".txt", ".json", ".pem"}
    assert not [name for name in names if "/tests/" in name or "/benchmarks/" in name or "/test_" in name]


def test_the_pages_are_in_the_wheel(names: set[str]) -> None:
    if not PAGES.exists():
        pytest.skip("the web pages are not built here")
    assert "weir/_rooms/ui/dist/index.html" in names
    assert [name for name in names if name.startswith("weir/_rooms/ui/dist/assets/") and name.endswith(".js")]


def test_dependencies_have_the_versions_that_are_locked(metadata: Message) -> None:
    locked = (ROOT / "requirements" / "base.txt").read_text()
    wanted = [line.split(";")[0].strip() for line in metadata.get_all("Requires-Dist", [])]
    for each in wanted:
        name, version = each.split("==")
        assert f"\n{name.split('[')[0]}==" in locked, each
        assert f"=={version} " in locked, each
    core = {line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line}
    fixed = ("pyspark", "presidio-analyzer", "fastapi", "neo4j", "confluent-kafka", "fastavro", "elasticsearch")
    assert {line.split("=")[0].split("[")[0] for line in core} >= {*fixed, "openlineage-python"}


def test_each_extra_has_its_packages(metadata: Message) -> None:
    extras = set(metadata.get_all("Provides-Extra", []))
    assert extras == {"all", "fast", "meaning", "postgres", "traces"}
    optional = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" in line]
    for extra in EXTRAS:
        assert [line for line in optional if f"extra == '{extra.name}'" in line], extra.name
        assert [line for line in optional if "extra == 'all'" in line]


@pytest.mark.tail
def test_the_console_script_works(environment: Path, tmp_path: Path) -> None:
    assert run(environment, tmp_path, "weir", "--version").strip() == f"weir {VERSION}"
    assert "demo" in run(environment, tmp_path, "weir", "--help")
    assert run(environment, tmp_path, "python", "-m", "weir", "--version").strip() == f"weir {VERSION}"


def test_the_folder_of_the_instance_is_in_the_users_home(environment: Path, tmp_path: Path) -> None:
    text = run(environment, tmp_path, "weir", "status", "-o", "json")
    assert f'"home": "{(tmp_path / ".weir").resolve()}"' in text


def test_names_of_rooms_are_not_seen_by_other_programs(environment: Path, tmp_path: Path) -> None:
    seen = "import importlib.util as u; print(u.find_spec('weir') is not None, u.find_spec('catalog'))"
    assert run(environment, tmp_path, "python", "-c", seen).split() == ["True", "None"]


_SMOKE = """
import subprocess, sys, zipfile
from weir import open_rooms
open_rooms()
from fastapi.testclient import TestClient
import api
from api.app import create_app
from api.bootstrap import offline
from scanners.adapters.spark.code_archive import code_archive
print("_rooms" in api.__file__)
client = TestClient(create_app(offline()))
print(client.get("/healthz").status_code, client.get("/openapi.json").status_code, client.get("/").status_code)
print("scanners/__init__.py" in zipfile.ZipFile(code_archive()).namelist())
print(subprocess.run([sys.executable, "-m", "api", "--version"], capture_output=True, text=True).stdout.strip())
"""


def test_the_application_answers(environment: Path, tmp_path: Path) -> None:
    ours, answers, archive, version = run(environment, tmp_path, "python", "-c", _SMOKE).splitlines()
    assert ours == archive == "True"
    assert answers.split()[:1] == ["200"]
    assert version == f"weir {VERSION}"
    if PAGES.exists():
        assert answers.split()[2] == "200"


def test_the_clients_wheel_has_its_two_packages(tmp_path: Path) -> None:
    with zipfile.ZipFile(build(ROOT / "client", tmp_path)) as archive:
        tops = {name.split("/")[0] for name in archive.namelist() if ".dist-info/" not in name}
        assert tops == {"weir_client", "weir_lineage"}
        assert "weir_client/py.typed" in archive.namelist()
