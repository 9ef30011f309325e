"""What the documentation site needs beyond mkdocs.yml: the list of decisions, and three checks of every page."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError

LIST_ITEM = re.compile(r"(?:[-*]|\d+\.) ")


def on_config(config: Any) -> Any:
    """Add every page of docs/decisions to the section Explanation, in the order of their numbers."""
    folder = Path(config["docs_dir"]) / "decisions"
    records = [f"decisions/{page.name}" for page in sorted(folder.glob("[0-9]*.md"))]
    explanation = next(section["Explanation"] for section in config["nav"] if "Explanation" in section)
    explanation.append({"Decisions": ["decisions/index.md", *records]})
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Refuse what GitHub shows as a list or a table and this site would run into the paragraph above it.

    Raises:
        PluginError: names the page and the line.
    """
    before, code = "", False
    for number, line in enumerate(markdown.splitlines(), 1):
        if line.startswith("```"):
            code = not code
        paragraph = not code and before and before[0] not in " #|" and not LIST_ITEM.match(before)
        if paragraph and (LIST_ITEM.match(line) or line.startswith("|")):
            raise PluginError(f"{page.file.src_uri}:{number}: put an empty line before this list or table.")
        before = line
    return markdown


class _Requests(HTMLParser):
    """The addresses that a browser asks for by itself when it shows the page."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        by_name = dict(attrs)
        loads = tag != "a" and not (tag == "link" and by_name.get("rel") in ("canonical", "next", "prev"))
        self.addresses += [
            by_name[name] or "" for name in ("src", "srcset", "href", "data") if loads and name in by_name
        ]


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Refuse a page that loads anything from another host.

    Raises:
        PluginError: names the page and the address.
    """
    requests = _Requests()
    requests.feed(output)
    foreign = [address for address in requests.addresses if "//" in address and not address.startswith("data:")]
    if foreign:
        raise PluginError(f"{page.file.src_uri} loads {foreign[0]} from another host.")
    return output
