"""The launcher `weir`: installs once, redoes what was interrupted, and names what is wrong in one sentence."""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import threading
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

LAUNCHER = Path(__file__).resolve().parents[3] / "weir"


def load() -> ModuleType:
    loader = SourceFileLoader("weir_launcher", str(LAUNCHER))
    spec = spec_from_loader("weir_launcher", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


launcher = load()


class Installer:
    """Replaces venv and pip: records what was asked, and makes a Python where venv would."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.asked: list[str] = []
        self.code = 0
        self.says = ""
        self.interrupt = False

    def __call__(self, command: list[str], log: str, title: str) -> int:
        Path(log).write_text(self.says)
        if "venv" in command:
            self.asked.append("venv --clear" if "--clear" in command else "venv")
            python = self.root / ".venv" / "bin" / "python"
            python.parent.mkdir(parents=True, exist_ok=True)
            python.write_text("#!/bin/sh\n")
            python.chmod(0o755)
            return 0
        assert "--require-hashes" in command
        # A lock names every package. Asked for dependencies, pip refuses `pydantic[email]` when a newer pydantic comes out.
        assert "--no-deps" in command
        self.asked.append("pip " + Path(command[-1]).stem)
        if self.interrupt:
            raise KeyboardInterrupt
        return self.code


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "requirements").mkdir()
    for name in ("base", "dev"):
        (tmp_path / "requirements" / f"{name}.txt").write_text(f"{name}==1 --hash=sha256:0\n")
    return tmp_path


@pytest.fixture
def installer(root: Path) -> Installer:
    return Installer(root)


def test_the_second_start_installs_nothing(root: Path, installer: Installer) -> None:
    launcher.Environment(str(root), installer).ensure(["base"])
    assert installer.asked == ["venv", "pip base"]
    launcher.Environment(str(root), installer).ensure(["base"])
    assert installer.asked == ["venv", "pip base"]


def test_the_stamp_is_the_hash_of_the_lock_file(root: Path, installer: Installer) -> None:
    environment = launcher.Environment(str(root), installer)
    environment.ensure(["base"])
    expected = hashlib.sha256((root / "requirements" / "base.txt").read_bytes()).hexdigest()
    assert Path(environment.stamp("base")).read_text() == expected


def test_tests_need_the_second_lock_file_too(root: Path, installer: Installer) -> None:
    environment = launcher.Environment(str(root), installer)
    environment.ensure(["base"])
    environment.ensure(["base", "dev"])
    assert installer.asked == ["venv", "pip base", "pip dev"]


def test_a_changed_lock_file_is_installed_into_the_same_environment(root: Path, installer: Installer) -> None:
    environment = launcher.Environment(str(root), installer)
    environment.ensure(["base"])
    (root / "requirements" / "base.txt").write_text("base==2\n")
    environment.ensure(["base"])
    assert installer.asked == ["venv", "pip base", "pip base"]


def test_an_interrupted_install_is_redone_from_scratch(root: Path, installer: Installer) -> None:
    environment = launcher.Environment(str(root), installer)
    installer.interrupt = True
    with pytest.raises(KeyboardInterrupt):
        environment.ensure(["base"])
    assert not environment.is_current("base")
    installer.interrupt = False
    environment.ensure(["base"])
    assert installer.asked == ["venv", "pip base", "venv --clear", "pip base"]
    assert environment.is_current("base")


def test_a_lost_interpreter_is_made_again(root: Path, installer: Installer) -> None:
    environment = launcher.Environment(str(root), installer)
    environment.ensure(["base"])
    Path(environment.python).unlink()
    environment.ensure(["base"])
    assert installer.asked[2:] == ["venv", "pip base"]


@pytest.mark.parametrize(
    ("says", "sentence"),
    [
        ("ERROR: NewConnectionError('Temporary failure in name resolution')", "connect to the network"),
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES", "not the one that was locked"),
        ("ERROR: No matching distribution found for x==1", "lacks a locked version"),
        ("Fatal: strange", "see the lines below"),
    ],
)
def test_a_failed_install_is_a_sentence_and_leaves_no_stamp(
    root: Path, installer: Installer, says: str, sentence: str
) -> None:
    environment = launcher.Environment(str(root), installer)
    installer.code, installer.says = 1, f"Collecting base\n{says}\n"
    with pytest.raises(launcher.Failure) as failure:
        environment.ensure(["base"])
    first, *rest = str(failure.value).splitlines()
    assert sentence in first
    assert environment.log in first
    assert rest[-1] == f"  | {says}"
    assert not environment.is_current("base")


def test_a_second_start_waits_for_the_first(root: Path, installer: Installer) -> None:
    environment = launcher.Environment(str(root), installer)
    with (root / "requirements" / "base.txt").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        waiting = threading.Thread(target=environment.ensure, args=(["base"],))
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()
        assert installer.asked == []
        # The first one finishes, and the second finds its work done.
        launcher.Environment(str(root), installer)._install(["base"])
        fcntl.flock(lock, fcntl.LOCK_UN)
    waiting.join(10)
    assert not waiting.is_alive()
    assert installer.asked == ["venv", "pip base"]


@pytest.mark.parametrize(
    ("version", "implementation", "right"),
    [
        ((3, 11), "cpython", True),
        ((3, 12), "cpython", True),
        ((3, 13), "cpython", True),
        ((3, 10), "cpython", False),
        ((3, 14), "cpython", False),
        ((3, 11), "pypy", False),
    ],
)
def test_only_cpython_of_these_versions_will_do(version: tuple[int, int], implementation: str, right: bool) -> None:
    assert launcher.right_python(version, implementation) is right


def test_another_python_is_named_with_the_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launcher, "right_python", lambda: False)
    monkeypatch.setattr(launcher, "other_python", lambda: None)
    with pytest.raises(
        launcher.Failure, match=r"needs CPython 3\.11, 3\.12 or 3\.13 and this is cpython 3\.\d+.*; install one of them"
    ):
        launcher.main(["up"])


def test_a_python_that_lies_about_its_version_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    liar = tmp_path / "python3.11"
    liar.write_text("#!/bin/sh\necho cpython 3 9\n")
    liar.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert launcher.other_python() is None
    liar.write_text("#!/bin/sh\necho cpython 3 11\n")
    assert launcher.other_python() == str(liar)


def test_the_newest_python_that_fits_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for minor in (11, 12, 13, 14):
        program = tmp_path / f"python3.{minor}"
        program.write_text(f"#!/bin/sh\necho cpython 3 {minor}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert launcher.other_python() == str(tmp_path / "python3.13")


def project(root: Path) -> Path:
    """A project whose `api` prints where it is, with an environment that counts as installed."""
    (root / "weir").write_bytes(LAUNCHER.read_bytes())
    (root / "weir").chmod(0o755)
    (root / "api").mkdir()
    (root / "api" / "__main__.py").write_text(
        "import os, sys; print(os.getcwd()); print(sys.argv[1:]); print(os.environ['PYTHONPATH'])"
    )
    (root / ".venv" / "bin").mkdir(parents=True)
    (root / ".venv" / "bin" / "python").symlink_to(sys.executable)
    digest = hashlib.sha256((root / "requirements" / "base.txt").read_bytes()).hexdigest()
    (root / ".venv" / "weir-base.sha256").write_text(digest)
    return root / "weir"


def test_words_folder_and_path_reach_the_command_line(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    program = project(root)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    # A user's own folder of that name must not be run instead of ours.
    (elsewhere / "api").mkdir()
    (elsewhere / "api" / "__main__.py").write_text("raise SystemExit('the wrong one')")
    link = elsewhere / "linked"
    link.symlink_to(program)
    environment = dict(os.environ) | {"PYTHONPATH": "/mine"}
    for start in (program, link):
        done = subprocess.run(
            [sys.executable, str(start), "scan", "--topics", "a b"],
            cwd=elsewhere,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.splitlines() == [str(elsewhere), "['scan', '--topics', 'a b']", f"{root}{os.pathsep}/mine"]


def test_a_failure_is_exit_code_1_and_no_stack_trace(root: Path) -> None:
    program = project(root)
    (root / ".venv" / "weir-base.sha256").write_text("another")
    # An installer that cannot work: pip of this "environment" is a program that fails.
    (root / ".venv" / "bin" / "python").unlink()
    (root / ".venv" / "bin" / "python").write_text("#!/bin/sh\necho 'Network is unreachable'; exit 2\n")
    (root / ".venv" / "bin" / "python").chmod(0o755)
    done = subprocess.run([sys.executable, str(program), "up"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "weir: The Python packages of requirements/base.txt could not be installed: the package index" in done.stderr
