"""The lock files are whole: pip installs what they name and asks for no dependency of its own."""

import subprocess
import sys


def test_every_installed_package_finds_its_dependencies() -> None:
    check = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", "check"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert check.returncode == 0, check.stdout + check.stderr
