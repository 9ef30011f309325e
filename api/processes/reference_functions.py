"""docs/reference/functions.md: which functions of Spark a query may call, and why others are refused."""

from __future__ import annotations

from policies.sql.inventory import functions, refusal


def functions_markdown() -> str:
    """Every classified function, from the table by which the gate decides."""
    known = functions().values()
    allowed = [f"`{each.name}`" for each in known if each.verdict == "allowed"]
    refused = [f"| `{each.name}` | {refusal(each.name)} |" for each in known if each.verdict == "refused"]
    lines = [
        "# Functions of SQL",
        "",
        "What they do is in Spark's documentation; [SQL over topics](sql.md) has the limits of sizes and patterns.",
        "",
        "## Refused",
        "",
        "| function | it |",
        "|---|---|",
        *refused,
        "",
        f"## Allowed: {len(allowed)}",
        "",
        ", ".join(allowed),
    ]
    return "\n".join(lines) + "\n"
