"""The one way in which the demo fails."""

from __future__ import annotations


class DemoFailed(Exception):
    """A step could not be done, or its answer contradicts the story. The text is one sentence for the person."""
