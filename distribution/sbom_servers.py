"""Writes what `weir up` takes from Maven Central as CycloneDX: the coordinates that Weir names, not what these need in turn."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def document() -> dict[str, Any]:
    """The bill of materials."""
    coordinates = sorted({each for component in _versions().COMPONENTS.values() for each in component.coordinates})
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "weir-servers"}},
        "components": [_component(*each.split(":")) for each in coordinates],
        "compositions": [{"aggregate": "incomplete_first_party_only"}],
    }


def _component(group: str, name: str, version: str) -> dict[str, str]:
    purl = f"pkg:maven/{group}/{name}@{version}"
    return {"type": "library", "bom-ref": purl, "group": group, "name": name, "version": version, "purl": purl}


def _versions() -> Any:
    # By its file: nothing of Weir is installed where a release is made.
    spec = importlib.util.spec_from_file_location("versions", ROOT / "stack" / "installed" / "versions.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError("stack/installed/versions.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    json.dump(document(), sys.stdout, indent=2)
    sys.stdout.write("\n")
