"""Notes on a declared document that `apply` prints: effects that its text does not show, given what else is declared. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from policies.declared import kinds
from policies.declared.access_specs import WorkflowSpec
from policies.declared.directory import DirectorySpec, not_given
from policies.declared.view import View
from policies.matching import is_active
from policies.spellings import name_key

_SHOWN = 3
"""Grants that a note names."""


def notes(view: View, kind: str, name: str, spec: Any, now: datetime) -> list[str]:
    """The notes on a document that is about to be created or updated. Raises InvalidInput for one that is wrong."""
    note = _NOTES.get(kind)
    return note(view, name, spec, now) if note is not None else []


def _of_directory_rights(view: View, name: str, spec: Any, now: datetime) -> list[str]:
    """What a rule does not give, though it looks as if."""
    model = kinds.parse("DirectoryRights", name, spec)
    assert isinstance(model, DirectorySpec)
    return [
        f"the rule for {rule.group!r} does not give the {what}: rules with * give nothing that carries a permission"
        for rule in model.rights
        for what in not_given(rule, view.powerful)
    ]


def _of_user(view: View, name: str, spec: Any, now: datetime) -> list[str]:
    """Grants that the former person of a name left, and that are good for the next one."""
    if name not in view.removed_users:
        return []
    left = sorted(each.name for each in view.grants_by_subject.get(("user", name), ()) if is_active(each, now))
    if not left:
        return []
    more = f" and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
    return [
        f"{name} was deleted before, and grants of then are good again: {', '.join(left[:_SHOWN])}{more};"
        " revoke them if this is another person: weir access revoke NAME"
    ]


def _of_workflow(view: View, name: str, spec: Any, now: datetime) -> list[str]:
    """Stages that nobody can pass, since they ask for more people than they name."""
    model = kinds.parse("Workflow", name, spec)
    assert isinstance(model, WorkflowSpec)
    return [
        f"stage {stage.name} asks for {stage.quorum} approvals and names {people} of the people who may give one, so no request"
        " passes it"
        for stage in model.stages
        if not (stage.approvers.owners or stage.approvers.groups or stage.approvers.roles)
        and (people := len({name_key(each) for each in stage.approvers.users})) < stage.quorum
    ]


_NOTES: Mapping[str, Callable[[View, str, Any, datetime], list[str]]] = {
    "DirectoryRights": _of_directory_rights,
    "User": _of_user,
    "Workflow": _of_workflow,
}
