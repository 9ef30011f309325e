"""Forms and lists of the pages have the names and limits of the server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from catalog.datasets.reviews import DOUBTFUL_BELOW
from policies.declared.purpose_specs import LegalBasis
from policies.declared.spec_parts import PERMISSIONS

PAGES = Path(__file__).resolve().parents[4] / "ui/src/lib"
FORM = PAGES / "roleForm.ts"


def test_the_form_of_a_role_has_every_permission_with_its_meaning() -> None:
    table = FORM.read_text().partition("export const RIGHTS = {")[2].partition("} as const")[0]
    assert set(re.findall(r'^ {2}"?([a-z:]+)"?: "[a-z].+",$', table, re.MULTILINE)) == PERMISSIONS


def test_the_form_of_a_purpose_has_every_legal_basis() -> None:
    table = (PAGES / "purposeForm.ts").read_text().partition("LEGAL_BASES = [")[2].partition("]")[0]
    assert tuple(re.findall(r'"([a-z-]+)"', table)) == get_args(LegalBasis)


def test_pages_doubt_the_detections_that_lists_call_doubtful() -> None:
    limit = re.search(r"DOUBTFUL_BELOW = ([0-9.]+);", (PAGES / "evidence.ts").read_text())
    assert limit is not None and float(limit[1]) == DOUBTFUL_BELOW
