"""Parts of other packages that are not used, and why: masks and detectors."""

from __future__ import annotations


def problems() -> list[str]:
    """A sentence for each plug that is not used. Imports the plugs."""
    from policies.masks import registry as masks
    from scanners.detectors import registry as detectors

    return [*masks.installed().problems, *detectors.installed().problems]
