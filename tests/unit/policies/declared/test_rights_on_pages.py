"""The form of a role offers every permission that a role can have."""

from __future__ import annotations

import re
from pathlib import Path

from policies.declared.spec_parts import PERMISSIONS

FORM = Path(__file__).resolve().parents[4] / "ui/src/lib/roleForm.ts"


def test_the_form_of_a_role_has_every_permission_with_its_meaning() -> None:
    table = FORM.read_text().partition("export const RIGHTS = {")[2].partition("} as const")[0]
    assert set(re.findall(r'^ {2}"?([a-z:]+)"?: "[a-z].+",$', table, re.MULTILINE)) == PERMISSIONS
