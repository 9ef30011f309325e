"""The units of systemd: parsed, hardened alike, with settings that Weir has, and accepted by systemd where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from api.config.settings import BARE, documented

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "distribution" / "systemd"
UNITS = sorted(FOLDER.glob("*.service"))
PAGE = ROOT / "docs" / "how-to" / "systemd.md"
SERVICES = {"weir-api.service", "weir-worker.service"}
PROGRAM = "/opt/weir/bin/weir"
HARDENING = {
    "NoNewPrivileges": "yes",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "PrivateTmp": "yes",
    "CapabilityBoundingSet": "",
    "StateDirectory": "weir",
    "StateDirectoryMode": "0700",
    "LoadCredential": "weir.yaml:/etc/weir/weir.yaml",
    "EnvironmentFile": "-/etc/weir/weir.env",
    "UMask": "0077",
    "User": "weir",
}
MOST_EXPOSED = 20
"""Tenths of systemd's figure for what a service may do: 0 is least, 100 most."""

Unit = dict[str, list[tuple[str, str]]]


def parse(path: Path) -> Unit:
    """Section -> its keys and values. Raises ValueError for a line that is none of systemd's kinds."""
    sections: Unit = {}
    name = ""
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith(("#", ";")):
            continue
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            name = heading[1]
            sections[name] = []
        elif pair := re.fullmatch(r"([A-Z]\w*)=(.*)", line):
            sections[name].append((pair[1], pair[2]))
        else:
            raise ValueError(f"{path.name}: {line}")
    return sections


def environment(unit: Unit) -> dict[str, str]:
    """Variables that a unit sets."""
    texts = [value for key, value in unit["Service"] if key == "Environment"]
    return dict(pair.split("=", 1) for text in texts for pair in text.split())


def systemd_analyze() -> str:
    """The program. Skips the test where it is absent."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed here (Debian: apt install systemd)")
    return program


def copies(folder: Path) -> list[str]:
    """The units with a program that is installed everywhere; systemd looks whether it can be run."""
    for path in UNITS:
        (folder / path.name).write_text(path.read_text().replace(PROGRAM, "/bin/true"))
    return [str(folder / path.name) for path in UNITS]


def test_the_units_are_the_api_the_worker_and_the_doctor() -> None:
    assert {path.name for path in UNITS} == {*SERVICES, "weir-doctor.service"}


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_is_hardened_and_keeps_its_state_in_one_folder(path: Path) -> None:
    service = dict(parse(path)["Service"])
    assert {key: service.get(key) for key in HARDENING} == HARDENING


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_sets_variables_that_weir_reads(path: Path) -> None:
    known = {name for name, _, _ in documented()} | BARE | {"PYTHONUNBUFFERED"}
    named = environment(parse(path))
    assert set(named) <= known
    assert named["WEIR_CONFIG"] == "%d/weir.yaml"
    assert not named["WEIR_SECRETS__FOLDER"].startswith("%d"), "a declared document could name weir.yaml itself"


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_comes_back_unless_it_runs_once(path: Path) -> None:
    unit = parse(path)
    service = dict(unit["Service"])
    assert (service["Type"], service.get("Restart")) == (
        ("exec", "on-failure") if path.name in SERVICES else ("oneshot", None)
    )
    assert ("Install" in unit) == (path.name in SERVICES)


def test_all_units_have_the_same_protection() -> None:
    protections = {tuple(pair for pair in parse(path)["Service"] if _protects(pair[0])) for path in UNITS}
    assert len(protections) == 1
    assert len(next(iter(protections))) > 15


def _protects(key: str) -> bool:
    return key.startswith(("Protect", "Private", "Restrict", "SystemCall", "Lock", "NoNew", "Capability", "Ambient"))


def test_the_page_has_the_files_and_the_program() -> None:
    page = PAGE.read_text()
    names = [path.name for path in FOLDER.iterdir()]
    assert [name for name in names if name not in page] == []
    assert PROGRAM.removesuffix("/bin/weir") in page


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    done = subprocess.run(
        [systemd_analyze(), "verify", "--man=no", *copies(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, [line for line in done.stderr.splitlines() if "weir-" in line]) == (0, [])


def test_systemd_names_a_key_that_it_does_not_know(tmp_path: Path) -> None:
    broken = Path(copies(tmp_path)[0])
    broken.write_text(broken.read_text().replace("ProtectHome=", "ProtectHom="))
    done = subprocess.run(
        [systemd_analyze(), "verify", "--man=no", str(broken)], capture_output=True, text=True, check=False
    )
    assert "ProtectHom" in done.stderr


def test_systemd_finds_little_that_the_units_may_do(tmp_path: Path) -> None:
    for unit in copies(tmp_path):
        done = subprocess.run(
            [systemd_analyze(), "security", "--offline=true", "--no-pager", f"--threshold={MOST_EXPOSED}", unit],
            capture_output=True,
            text=True,
            check=False,
        )
        if "unrecognized option" in done.stderr:
            pytest.skip("this systemd-analyze is older than 250 and does not judge files")
        assert done.returncode == 0, done.stdout[-300:] + done.stderr
