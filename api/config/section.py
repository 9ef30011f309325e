"""What every section of the settings is."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """Settings of one room or server; a name that is not among them is an error."""

    model_config = ConfigDict(extra="forbid")
