"""What a command imports: its own feature and little else, since imports are most of its time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HEAVY = {
    "pydantic", "pydantic_core", "fastapi", "httpx", "httpx2", "requests", "urllib3", "sqlalchemy", "sqlglot", "pyarrow",
    "pyspark", "psutil", "keyring", "yaml", "mcp", "mcp_types", "click", "asyncio", "multiprocessing",
    "api.config.settings", "api.wiring", "stack.settings", "scanners",
}  # fmt: skip
"""Libraries and rooms that a call of the API needs none of."""
ANSWER = {
    **{"user": "admin", "total": 0, "leftOut": None, "didYouMean": None},
    **dict.fromkeys(("groups", "roles", "permissions", "hits", "requests", "datasets"), ()),
}
PROGRAM = """
import sys
from api.cli import main
try:
    main()
except SystemExit:
    pass
print(*sorted(sys.modules), file=sys.stderr)
"""
SERVER = """
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Answering(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(sys.argv[1])))
        self.end_headers()
        self.wfile.write(sys.argv[1].encode())
server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    words = [sys.executable, "-c", SERVER, json.dumps(ANSWER)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        server.kill()


def imported(line: str, url: str, home: Path) -> set[str]:
    environment = {**os.environ, "WEIR_URL": url, "WEIR_TOKEN": "t", "WEIR_HOME": str(home)}
    environment.pop("FORCE_COLOR", None)
    words = [sys.executable, "-c", PROGRAM, *line.split()]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("line", "most", "own"),
    [
        ("whoami", 283, {"sign_in"}),
        ("search", 282, {"search"}),
        ("request list", 292, {"access_requests"}),
        ("dataset list -o json", 287, {"datasets"}),
        ("--version", 240, set()),
    ],
)
def test_a_command_imports_its_own_feature_and_nothing_heavy(
    url: str, tmp_path: Path, line: str, most: int, own: set[str]
) -> None:
    modules = imported(line, url, tmp_path)
    assert not modules & (HEAVY | {"rich.console"})
    assert {name for name in modules if name.startswith("api.features.") and name.endswith("commands")} == {
        f"api.features.{feature}.commands" for feature in own
    }
    assert len(modules) <= most, len(modules)


def test_the_list_of_words_imports_no_command(url: str, tmp_path: Path) -> None:
    modules = imported("--help", url, tmp_path)
    assert not modules & HEAVY
    assert not {name for name in modules if name.startswith("api.features.") and name.endswith("commands")}
    assert len(modules) <= 430, len(modules)
