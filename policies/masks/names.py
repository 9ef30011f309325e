"""Names of masks, those of other products too, understood when a policy is read."""

from __future__ import annotations

from catalog.errors import InvalidInput
from catalog.near_names import did_you_mean
from policies.masks import registry
from policies.masks.kind import Value
from policies.sql.names import nearest


def read(name: str) -> tuple[str, dict[str, Value]]:
    """A mask by any of its names, in any case, `-` or blank for `_`: the type and the parameters the name implies.

    Raises InvalidInput naming the nearest known mask.
    """
    installed = registry.installed()
    key = name.strip().upper().replace("-", "_").replace(" ", "_")
    if key in installed.names:
        mask, implied = installed.names[key]
        return mask, dict(implied)
    near = nearest(key, list(installed.names))
    hint = did_you_mean(near, f"write one of {', '.join(installed.kinds)}.")
    raise InvalidInput(f"The mask {name[:60]!r} is not known; {hint}", details={"mask": name[:60]})
