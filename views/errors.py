"""Why a view does not run."""

from __future__ import annotations

from catalog.errors import WeirError


class ViewFailed(WeirError):
    """The streaming query ended, or cannot start, by something in its data or its plan. No message holds a value."""

    code = "view_failed"
