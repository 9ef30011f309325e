"""Detectors that tests share: the patterns of one take most of a second to compile."""

from __future__ import annotations

from functools import cache

from scanners.detectors.engine import Detector


@cache
def detector(*regions: str) -> Detector:
    """The standard detector for these regions; for all of them where none is named."""
    return Detector(regions) if regions else Detector()
