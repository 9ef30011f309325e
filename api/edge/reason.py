"""Why something was decided, as every answer about decisions gives it."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, about

Effect = Literal["allow", "deny"]


class Reason(Answer):
    """Why something was decided."""

    kind: str = about("policy, role, grant, owner, tag, gap, default, ...")
    name: str
    text: str
