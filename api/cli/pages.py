"""The web pages, built when their sources changed; with a Node from PyPI where the machine has none."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading
from collections.abc import Callable
from types import ModuleType

from api.config.home import PROGRAM

UI = PROGRAM / "ui"


class PagesBuild:
    """Builds beside the start of the servers. Weir works without pages, so nothing here fails a start."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._thread = threading.Thread(target=self._build, name="pages", daemon=True)

    def begin(self) -> None:
        self._thread.start()

    def wait(self) -> None:
        """Until the pages are there, or the reason why not was reported."""
        self._thread.join()

    def _build(self) -> None:
        if (UI / "dist" / "index.html").exists() and not (UI / "src").exists():
            return  # a wheel brings the pages and nothing to build them from
        try:
            build = _module()
            if build.find_node() is None:
                self._fetch_node()
            build.ensure(self._say)
        except OSError as error:
            self._say(f"The web pages are not built ({error.strerror}); everything else works.")

    def _fetch_node(self) -> None:
        self._say("fetching Node.js from PyPI to build the web pages, once ...")
        lock = PROGRAM / "requirements" / "node.txt"
        pip = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--require-hashes",
            "--no-deps",
        ]
        subprocess.run([*pip, "-r", str(lock)], check=False, capture_output=True)
        importlib.invalidate_caches()


def _module() -> ModuleType:
    """ui/build.py: the folder is not a Python package, so it is loaded by its path."""
    path = UI / "build.py"
    spec = importlib.util.spec_from_file_location("weir_ui_build", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(2, "ui/build.py is not there")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
