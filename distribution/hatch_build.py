"""Hooks of the wheel `weir`: its dependencies from requirements/, and the built web pages.

Run by hatchling in a process that has nothing but hatchling, so this file imports nothing of Weir.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

EXTRAS = ("fast", "meaning", "postgres", "traces")
"""Each is a file requirements/NAME.in; `all` is all of them."""


class Dependencies(MetadataHookInterface):
    """`dependencies` and `optional-dependencies`: the names of requirements/*.in at the versions of base.txt.

    Versions are exact because the tests ran with these, and because both ends of Spark Connect run the same code.
    """

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        folder = Path(self.root) / "requirements"
        locked = versions((folder / "base.txt").read_text(encoding="utf-8"))
        extras = {name: pinned((folder / f"{name}.in").read_text(encoding="utf-8"), locked) for name in EXTRAS}
        metadata["dependencies"] = pinned((folder / "core.in").read_text(encoding="utf-8"), locked)
        metadata["optional-dependencies"] = extras | {
            "all": sorted({line for each in extras.values() for line in each})
        }


class Pages(BuildHookInterface[Any]):
    """Builds ui/dist before it is packed. WEIR_BUILD_PAGES=no leaves the pages out, =kept packs them as they were built last."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            raise RuntimeError("Weir is developed from its checkout: run ./weir instead of an editable install.")
        root = Path(self.root)
        wanted = os.environ.get("WEIR_BUILD_PAGES", "yes")
        if wanted not in ("yes", "no", "kept"):
            raise ValueError(f"WEIR_BUILD_PAGES is {wanted!r}; use yes, no or kept.")
        if wanted == "no":
            return
        reasons: list[str] = []
        pages = _module(root / "ui" / "build.py")
        if not (pages.built() if wanted == "kept" else pages.ensure(reasons.append)):
            raise RuntimeError(f"{' '.join(reasons)} WEIR_BUILD_PAGES=no makes a wheel without them.".strip())
        build_data["force_include"][str(root / "ui" / "dist")] = "weir/_rooms/ui/dist"


def versions(lock: str) -> dict[str, str]:
    """Package -> version of a lock file; names as `normal` writes them. A package that is locked twice (by platform) once."""
    found = re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^ ;\\]+)", lock, flags=re.M)
    return {normal(name): version for name, version in found}


def pinned(wanted: str, locked: dict[str, str]) -> list[str]:
    """Each line of a .in file as NAME[EXTRAS]==VERSION. Raises KeyError for a package that the lock file lacks."""
    lines = [line.split("#")[0].strip() for line in wanted.splitlines()]
    parts = [re.match(r"([A-Za-z0-9._-]+)(\[[^]]*\])?", line) for line in lines if line]
    return [f"{part[1]}{part[2] or ''}=={locked[normal(part[1])]}" for part in parts if part]


def normal(name: str) -> str:
    """The name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("weir_ui_build", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
