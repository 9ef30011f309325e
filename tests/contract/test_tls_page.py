"""docs/how-to/tls.md from top to bottom: its openssl commands, its settings at a real server process, its document, its calls."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import pytest
import weir_client

from tests.tls_world import Authority, Issued, self_signed, trusting

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/how-to/tls.md").read_text()
SHELL = re.findall(r"```sh\n(.*?)```", PAGE, re.S)
(DOCUMENT,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
NOBODY = {
    "WEIR_KAFKA__BOOTSTRAP_SERVERS": "127.0.0.1:1",
    "WEIR_NEO4J__URI": "bolt://127.0.0.1:1",
    "WEIR_ELASTICSEARCH__URL": "http://127.0.0.1:1",
    "WEIR_SPARK__REMOTE": "sc://127.0.0.1:1",
}
"""Servers that are away: nothing here asks them."""

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="the page's commands are openssl's")


def shell(text: str, folder: Path) -> str:
    done = subprocess.run(["sh", "-ec", text], cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Process:
    """`weir server api` with the settings of the page, in a folder with its files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        servers, exports = SHELL[0], SHELL[1]
        shell(servers, folder)
        set_by_page = shell(f"{exports}\nenv | grep ^WEIR_API__", folder)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"https://localhost:{self.port}"
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("WEIR_")},
            **NOBODY,
            **dict(line.split("=", 1) for line in set_by_page.splitlines()),
            "WEIR_HOME": str(folder / "home"),
            "WEIR_API__PORT": str(self.port),
            "PYTHONPATH": str(ROOT),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        }
        self._log = (folder / "log").open("w")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "api", "server", "api"],
            cwd=folder,
            env=self._environment,
            stdout=self._log,
            stderr=self._log,
        )
        self._await()

    def _await(self) -> None:
        end = time.monotonic() + 90
        while time.monotonic() < end and self._process.poll() is None:
            try:
                httpx.get(f"{self.url}/healthz", verify=trusting(self.folder / "ca.pem"), trust_env=False)
                return
            except httpx.HTTPError:
                time.sleep(0.1)
        raise AssertionError((self.folder / "log").read_text())

    def weir(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "api", *words],
            cwd=self.folder,
            env={**self._environment, **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )

    def by(self, shown: Issued | None = None, **more: str) -> Mapping[str, str]:
        """The environment of a command that comes from elsewhere."""
        variables = {"WEIR_URL": self.url, "WEIR_CA": str(self.folder / "ca.pem"), **more}
        if shown is not None:
            variables |= {"WEIR_CLIENT_CERTIFICATE": str(shown.certificate), "WEIR_CLIENT_KEY": str(shown.key)}
        return variables

    @property
    def token(self) -> str:
        return (self.folder / "home" / "admin.token").read_text().strip()

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(30)
        self._log.close()


@pytest.fixture(scope="module")
def weir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    process = Process(tmp_path_factory.mktemp("page"))
    try:
        yield process
    finally:
        process.close()


@pytest.fixture(scope="module")
def report(weir: Process) -> Issued:
    """The account of the page, declared with the fingerprint that the page's command prints."""
    printed = shell(SHELL[3], weir.folder)
    fingerprint = printed.partition("Fingerprint=")[2].strip()
    (weir.folder / "report.yaml").write_text(DOCUMENT.replace("FINGERPRINT", fingerprint))
    role = "apiVersion: weir/v1\nkind: Role\nmetadata: {name: report-reader}\nspec: {read: [{dataset: prod/none}]}\n"
    (weir.folder / "role.yaml").write_text(role)
    for file in ("role.yaml", "report.yaml"):
        done = weir.weir("apply", "-f", file)
        assert done.returncode == 0, done.stderr
    return Issued(weir.folder / "report.pem", weir.folder / "report.key")


@pytest.mark.tail
def test_commands_of_the_same_home_need_no_setting(weir: Process) -> None:
    done = weir.weir("whoami", "-o", "json")
    assert done.returncode == 0 and '"admin"' in done.stdout, done.stderr


def test_the_command_line_over_https(weir: Process) -> None:
    (search,) = [line for line in SHELL[2].splitlines() if line]
    words = shlex.split(search)
    assert [word.partition("=")[0] for word in words[:2]] == ["WEIR_URL", "WEIR_CA"] and words[2] == "weir"
    done = weir.weir("whoami", "-o", "json", **weir.by(WEIR_TOKEN=weir.token))
    assert done.returncode == 0 and '"admin"' in done.stdout, done.stderr


def test_the_command_line_by_certificate(weir: Process, report: Issued) -> None:
    done = weir.weir("whoami", "-o", "json", **weir.by(report))
    assert done.returncode == 0 and '"nightly-report"' in done.stdout, done.stderr


def test_curl_of_the_page(weir: Process, report: Issued) -> None:
    if shutil.which("curl") is None:
        pytest.skip("there is no curl")
    answer = shell(
        SHELL[4].replace("curl ", "curl -sS ").replace("localhost:8484", f"localhost:{weir.port}"), weir.folder
    )
    assert '"user":"nightly-report"' in answer


def test_the_client_library_over_https(weir: Process, report: Issued) -> None:
    ca = str(weir.folder / "ca.pem")
    with weir_client.Weir(weir.url, ca=ca, certificate=str(report.certificate), key=str(report.key)) as asking:
        assert asking.running() == []
    with weir_client.Weir(weir.url, token=weir.token, ca=ca) as asking:
        assert asking.running() == []
    asking = weir_client.Weir(weir.url, token=weir.token)
    with asking, pytest.raises(weir_client.errors.Unavailable, match=r"is not trusted.*ca="):
        asking.running()
    asking = weir_client.Weir(weir.url.replace("https:", "http:"), token=weir.token)
    with asking, pytest.raises(weir_client.errors.Unavailable, match="https://"):
        asking.running()
    with pytest.raises(weir_client.errors.InvalidInput, match="nowhere"):
        weir_client.Weir(weir.url, token="weir_x", certificate="/nowhere.pem")


def test_failures_are_named(weir: Process, report: Issued) -> None:
    """The table at the end of the page."""
    other = Authority(weir.folder, "other")
    cases = [
        (weir.by(WEIR_TOKEN="x", WEIR_CA=str(other.file)), "is not trusted"),
        (
            weir.by(WEIR_TOKEN="x", WEIR_URL=weir.url.replace("https:", "http:")),
            "where it serves TLS, write WEIR_URL with https://",
        ),
        (weir.by(self_signed(weir.folder, "mine")), "Does it take WEIR_CLIENT_CERTIFICATE?"),
        (weir.by(WEIR_TOKEN="x", WEIR_CA="/nowhere.pem"), "WEIR_CA=/nowhere.pem cannot be read"),
        (weir.by(WEIR_CLIENT_CERTIFICATE=str(report.certificate)), "are not a certificate and its key"),
    ]
    for environment, sentence in cases:
        done = weir.weir("whoami", **environment)
        assert done.returncode != 0 and sentence in " ".join(done.stderr.split()), done.stderr
    verified = f"openssl verify -purpose sslclient -CAfile ca.pem {report.certificate.name}"
    assert "openssl verify -purpose sslclient -CAfile ca.pem report.pem" in PAGE and "OK" in shell(
        verified, weir.folder
    )


@pytest.mark.tail
def test_a_certificate_and_the_token_of_another(weir: Process, report: Issued) -> None:
    done = weir.weir("whoami", **weir.by(report, WEIR_TOKEN=weir.token))
    assert done.returncode != 0 and "send one of the two" in " ".join(done.stderr.split())
