"""Whether a declared view would fail at its start because a topic that it follows is compacted."""

from __future__ import annotations

from collections.abc import Callable

from catalog.errors import InvalidInput, WeirError
from policies.model import Subject
from policies.plan.prepare import Preparer
from views.declared import ViewSpec
from views.runner.build import IsCompacted, built


class StartCheck:
    """Builds a view as its runner does, and keeps nothing. Safe for threads."""

    def __init__(self, preparer: Preparer, subject: Callable[[str], Subject], is_compacted: IsCompacted) -> None:
        self._preparer, self._subject, self._is_compacted = preparer, subject, is_compacted

    def __call__(self, spec: ViewSpec) -> None:
        """Raises SqlRefused or InvalidInput where the view can be built over ordinary topics, and not over the topics as they are.

        What depends on rights, on documents that are applied together with it, or on servers that are away is left to the
        start. The clusters are asked only where compacted topics would be refused.
        """
        try:
            subject = self._subject(spec.runAs.subject)
            built(spec, self._preparer, subject, lambda cluster, topic: False)
        except WeirError:
            return
        try:
            built(spec, self._preparer, subject, lambda cluster, topic: True)
        except InvalidInput:
            pass
        except WeirError:
            return
        else:
            return
        try:
            built(spec, self._preparer, subject, self._is_compacted)
        except InvalidInput:
            raise
        except WeirError:
            return
