"""Reads `weir.yaml`: sections of settings, none of them in silence."""

from __future__ import annotations

from pathlib import Path

import yaml

from catalog.errors import SettingsError

_EXAMPLE = "'api: {port: 9000}'"


def from_file(path: Path, must_exist: bool) -> dict[str, dict[str, object]]:
    """The sections of the file. Raises SettingsError for what is not YAML in UTF-8, and for a name that is there twice."""
    if not path.exists():
        if must_exist:
            raise SettingsError(f"WEIR_CONFIG names {path}, which does not exist.")
        return {}
    try:
        text = path.read_text(encoding="utf-8")
        values = yaml.safe_load(text) or {}
        _require_once(path, yaml.compose(text, Loader=yaml.SafeLoader), ())
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark else ""
        raise SettingsError(f"{path} cannot be read{where}; it must be YAML in UTF-8, such as {_EXAMPLE}.") from None
    if not isinstance(values, dict) or not all(isinstance(section, dict) for section in values.values()):
        raise SettingsError(f"{path} must hold sections of settings, such as {_EXAMPLE}.")
    return values


def _require_once(path: Path, node: yaml.Node | None, at: tuple[str, ...]) -> None:
    """YAML's reader keeps the last of two sections with one name: the settings of the first would be lost."""
    if not isinstance(node, yaml.MappingNode):
        return
    lines: dict[str, int] = {}
    for key, value in node.value:
        name, line = str(key.value), key.start_mark.line + 1
        if name in lines:
            dotted = ".".join((*at, name))
            raise SettingsError(
                f"{path}, line {line}: {dotted} is there twice (first at line {lines[name]}); join them."
            )
        lines[name] = line
        _require_once(path, value, (*at, name))
