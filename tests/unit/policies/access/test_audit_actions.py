"""The list of the audit's actions has no more than the code writes, and pages have words for each."""

from __future__ import annotations

import re
from pathlib import Path

from policies.audit import actions as audit_actions
from policies.audit.actions import ACTIONS

ROOT = Path(__file__).resolve().parents[4]
ROOMS = ("policies", "views", "api")
WORDS = ROOT / "ui/src/lib/auditWords.ts"


def test_the_list_has_no_action_that_nothing_writes() -> None:
    paths = {path for room in ROOMS for path in (ROOT / room).rglob("*.py")} - {Path(audit_actions.__file__)}
    code = "".join(path.read_text() for path in paths)
    assert [action for action in sorted(ACTIONS) if f'"{action}"' not in code] == []


def test_pages_have_words_for_every_action() -> None:
    shown = dict(re.findall(r'^ {2}"?([a-z._-]+)"?: "(.+)",$', WORDS.read_text(), re.MULTILINE))
    assert set(shown) == ACTIONS
    assert len(set(shown.values())) == len(ACTIONS), "two actions have the same words"
    assert not [words for words in shown.values() if "." in words or not words[0].isupper()]
