"""Refusals at their place in the user's text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from policies.gate.gate import Gated, SqlRefused
from policies.gate.tree import Checker
from policies.sql.errors import refused
from policies.sql.lexer import lex


@dataclass(frozen=True, slots=True)
class Places:
    """Of one gated query."""

    sql: str
    checker: Checker

    @classmethod
    def of(cls, gated: Gated) -> Places:
        return cls(gated.sql, Checker(lex(gated.sql)))

    def refuse(self, node: Any, sentence: str, reason: str) -> SqlRefused:
        """`reason` is a short class of the refusal, for programs and tests."""
        return refused(self.sql, self.checker.position(node), sentence, reason)
