"""How functions are compiled, and where compiled code is kept so that it is made once a machine."""

from __future__ import annotations

import functools
import hashlib
import pkgutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, config

from scanners import tape


class PackageCacheLocator(caching._CacheLocator):  # type: ignore[misc]
    """Compiled code is kept by the text of this package's modules, wherever they are.

    Spark's workers have them in a zip file in a new folder each time, by which numba would compile them again each time.
    NUMBA_CACHE_DIR names the folder, which nobody else may write to: what is there is run.
    """

    def __init__(self, function: Any) -> None:
        self._line = function.__code__.co_firstlineno
        home = config.CACHE_DIR or caching.AppDirs("numba", appauthor=False).user_cache_dir
        self._folder = str(Path(home) / f"weir-{_stamp()[:16]}")

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> str:
        return _stamp()

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Any, _py_file: str) -> PackageCacheLocator:
        self = cls(py_func)
        try:
            self.ensure_cache_path()
        except OSError:
            self._folder = _for_this_process()
        return self


@functools.cache
def _stamp() -> str:
    names = sorted(module.name for module in pkgutil.iter_modules(tape.__path__))
    texts = (pkgutil.get_data(tape.__name__, f"{name}.py") or b"" for name in names)
    return hashlib.sha256(b"\0".join(texts)).hexdigest()


@functools.cache
def _for_this_process() -> str:
    return tempfile.mkdtemp(prefix="weir-compiled-")


def compiled(function: Callable[..., Any]) -> Any:
    """The function as machine code, made when it is called first."""
    before, config.CACHE_LOCATOR_CLASSES = config.CACHE_LOCATOR_CLASSES, f"{__name__}.{PackageCacheLocator.__name__}"
    try:
        return numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    finally:
        config.CACHE_LOCATOR_CLASSES = before


def inlined(function: Callable[..., Any]) -> Any:
    """The same, as a part of each function that calls it."""
    return numba.njit(inline="always", error_model="numpy")(function)
