"""A function that brings the modules it needs along, for Spark's Python workers that have no file of the session.

The session in which a streaming query runs is a copy of the one that started it, and in Spark 4.0 the files that were sent
to that one do not reach the workers of the copy. A scan needs nearly all of our code and uses `code_archive`; a decoder
needs some thirty modules, of which the compiled text is smaller than the plan it goes with.
"""

from __future__ import annotations

import ast
import importlib.util
import marshal
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from scanners.adapters.spark.syntax import OURS, file_of, parsed


def carried(function: Callable[..., Any], *modules: str) -> Callable[[bytes | None], Any]:
    """The same function; the worker that gets it imports `modules` of ours, and what they import, from what comes with it.

    Spark pickles a function inside of a function by its content, so nothing of this file is needed over there.
    """
    from pyspark import cloudpickle

    body, code = cloudpickle.dumps(function), modules_with_code(*modules)
    magic, rooms = importlib.util.MAGIC_NUMBER, OURS
    unpacked: list[Any] = []

    def call(value: bytes | None) -> Any:
        if not unpacked:
            import importlib.abc
            import importlib.util
            import marshal
            import pickle
            import sys
            import zlib

            class Carried(importlib.abc.InspectLoader):
                """Finds the modules and loads them; see PEP 451."""

                def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
                    return importlib.util.spec_from_loader(name, self) if name in code else None

                def is_package(self, name: str) -> bool:
                    return code[name][0]

                def get_source(self, name: str) -> str:
                    return zlib.decompress(code[name][1]).decode()

                def get_code(self, name: str) -> Any:
                    if magic != importlib.util.MAGIC_NUMBER:
                        return self.source_to_code(self.get_source(name))
                    return marshal.loads(zlib.decompress(code[name][2]))  # noqa: S302  written by this process

            if not any(room in sys.modules for room in rooms):
                sys.meta_path.insert(0, Carried())
            unpacked.append(pickle.loads(body))  # noqa: S301  written by this process
        return unpacked[0](value)

    return call


@lru_cache(maxsize=8)
def modules_with_code(*modules: str) -> dict[str, tuple[bool, bytes, bytes]]:
    """Module -> whether it is a package, its source and its bytecode, each packed by zlib; `modules` and all they import."""
    code: dict[str, tuple[bool, bytes, bytes]] = {}
    waiting = [*modules]
    while waiting:
        name = waiting.pop()
        path = file_of(name)
        if name in code or path is None:
            continue
        source = path.read_bytes()
        compiled = marshal.dumps(compile(source, f"{name}.py", "exec"))
        code[name] = (path.name == "__init__.py", zlib.compress(source), zlib.compress(compiled))
        waiting += [name.rpartition(".")[0], *_imported(source)]
    return code


def _imported(source: bytes) -> Iterator[str]:
    """All names that a module may import, also inside of its functions; some may be no modules."""
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)
