"""The table of docs/reference/masks.md, written from the masks of Weir."""

from __future__ import annotations

from policies.masks import registry

_START = "<!-- masks: written by python -m api.cli.reference from policies/masks/kinds -->"
_END = "<!-- end of masks -->"


def with_masks(page: str) -> str:
    """The page with its table written again. Masks of other packages are left out."""
    before, _, rest = page.partition(_START)
    _, _, after = rest.partition(_END)
    return f"{before}{_START}\n\n{_table()}\n\n{_END}{after}"


def _table() -> str:
    installed = registry.installed()
    lines = ["| mask | text | number | date, time | hides |", "|---|---|---|---|---|"]
    for kind in installed.kinds.values():
        if kind.name not in installed.plugged:
            means = kind.meaning
            cells = (f"`{kind.name}`", means.text, means.number, means.moment, means.hides)
            lines.append(f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |"))
    return "\n".join(lines)
