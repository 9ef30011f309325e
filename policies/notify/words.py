"""The words of messages: a title, plain text and HTML, with a link to the very request. Pure.

Everything that comes from events is escaped in HTML and freed of control characters, so that a name can neither add a
header nor a tag; what a mail program would make a link of is replaced. Texts that people wrote (reasons, comments, purposes
that nobody declared) are not in messages; the one exception is the note that somebody sends to owners on purpose.
"""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from catalog.unseen import MOVING
from policies.notify.notices import Message, Notice

MOST_LISTED = 100
_LONGEST = 200
_UNSEEN = re.compile(rf"[\s{MOVING}\u200c\u200d]+")

LINK = "(link)"
"""What messages have in place of an address."""
_LINK = re.compile(r"\S*://\S*|\bwww\.\S*", re.IGNORECASE)
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_LOOKED_AT = 2000
_PURPOSE = 60

_SENTENCES = {
    "decide": "{requester} requests access to {dataset}{bundle}{purpose}; it is pending for your decision",
    "approved": "Your request for {dataset} was approved{part}",
    "denied": "Your request for {dataset} was denied",
    "asked": "{by} asks you something about your request for {dataset}",
    "comment": "{by} wrote in the request of {requester} for {dataset}",
    "escalated": "Nobody decided the request of {requester} for {dataset}; it was escalated to you",
    "expiring": "Access to {dataset} by grant {subject} ends {until}",
    "revoked": "{by} revoked the grant {subject} on {dataset}",
    "review": "{requester} used emergency access to {dataset}; it is pending for your review",
    "used": "{requester} used emergency access to {dataset}, which you own",
    "overdue": "The emergency access of {requester} to {dataset} was not reviewed in time",
    "owner": "{kind}: {dataset}, which you own",
    "unowned": "{kind}: {dataset}, which nobody owns",
    "assignee": "{kind}: {dataset}, which you look after",
    "assigned": "{by} made you look after an incident of {dataset}",
    "affected": "{dataset}, which you own, gets data that has an open incident",
    "reference.broken": "{dataset}, which you own: a rule that reads another dataset is broken; who may read both sees more",
    "reference.kept": "{dataset}, which you own: a rule that reads another dataset is kept again; who may read both sees more",
    "impact": "{by} plans to {change} {about}; {affected} affected{nearest}{note}",
    "discussed": "{by} wrote in the incident of {dataset} that you look after",
    "questioned": "{by} asks a question about {dataset}",
    "question.answered": "{by} answered your question about {dataset}",
    "question.accepted": "{by} accepted your answer about {dataset}",
    "test": "This is a test of notifications by Weir",
}
_CHANGES = {
    "drop": "drop",
    "rename": "rename",
    "retype": "change the type of",
    "mask": "mask",
    "lose": "remove",
}
_PATH = re.compile(r"/(?!/)[\w\-./%?=&]*")
_LONGEST_PATH = 1500


def plain_text(value: object, most: int = _LONGEST) -> str:
    """One line without control characters and links, cut at `most`."""
    text = _LINK.sub(LINK, _UNSEEN.sub(" ", str(value)[:_LOOKED_AT])).strip()
    return text if len(text) <= most else text[: most - 1] + "…"


def free_text(value: object, most: int = _LONGEST) -> str:
    """As `plain_text`, mail addresses left out too: for what is not the name of a person."""
    return plain_text(_ADDRESS.sub("(address)", _UNSEEN.sub(" ", str(value)[:_LOOKED_AT])), most)


def sentence(notice: Notice) -> str:
    """What happened, in one sentence without its end."""
    data = notice.data
    kind = notice.type.removeprefix("weir.").replace(".", " ").replace("_", " ").replace("-", " ")
    if notice.why == "named":
        title = data.get("title")
        return free_text(title) if isinstance(title, str) and title.strip() else plain_text(f"{kind}: {notice.subject}")
    values = {
        "requester": plain_text(data.get("requester") or data.get("user") or "Somebody"),
        "by": plain_text(data.get("by") or "Somebody"),
        "dataset": free_text(data.get("dataset") or notice.subject),
        "subject": plain_text(notice.subject),
        "purpose": f" for {free_text(data['purpose'], _PURPOSE)}" if data.get("purpose") else "",
        "bundle": " and other datasets" if data.get("bundle") else "",
        "part": " in part" if data.get("part") else "",
        "until": plain_text(data.get("until") or "soon"),
        "kind": plain_text(kind).capitalize(),
        **(_impact_words(data) if notice.why == "impact" else {}),
    }
    return (
        _SENTENCES[notice.why].format(**values) if notice.why in _SENTENCES else plain_text(f"{kind}: {notice.subject}")
    )


def _impact_words(data: Mapping[str, Any]) -> dict[str, str]:
    """Without `about` the receivers may not know what is changed; without `dataset` only jobs of theirs are affected."""
    affected = data.get("affected")
    many = affected != 1
    about, nearest, note = (free_text(data.get(each) or "") for each in ("about", "dataset", "note"))
    return {
        "change": _CHANGES.get(str(data.get("change")), "change"),
        "about": about or "something that you may not see",
        "affected": f"{affected} thing{'s' if many else ''} that you own {'are' if many else 'is'}",
        "nearest": f", {nearest} first" if nearest and many else f": {nearest}" if nearest else "",
        "note": f'. Note: "{note}"' if note else "",
    }


def path(notice: Notice) -> str:
    """The page of a notice."""
    value = notice.data.get("path")
    if isinstance(value, str) and _PATH.fullmatch(value):
        return value
    kind = notice.type.removeprefix("weir.")
    bundle = notice.data.get("bundle")
    if kind == "access.requested" and isinstance(bundle, str):  # one notice is about all its parts
        return f"/requests?show=decide&bundle={_part(bundle)}"
    if kind.startswith(("access.", "breakglass.")):
        return f"/requests/{_part(notice.subject)}"
    if kind.startswith("grant."):
        return "/requests?show=grants"
    if kind.startswith("view."):
        return f"/views/{_part(notice.subject)}"
    dataset = str(notice.data.get("dataset") or "")
    if "/" in dataset:
        place, _, name = dataset.rpartition("/")
        return f"/datasets/{_part(place)}/{_part(name)}"
    return "/notifications"


def _part(text: str) -> str:
    return quote(text, safe="", errors="replace")


def message(notices: Sequence[Notice], base_url: str | None, domain: str) -> Message:
    """One message for the notices of a batch, all for one person and channel. `domain`: of the message's id."""
    if len(notices) == 1:
        return _single(notices[0], base_url, domain)
    ids = "\n".join(sorted(n.id for n in notices))
    listed = sorted(notices, key=lambda n: (n.at, n.id))[:MOST_LISTED]
    rows = [(sentence(n), link(n, base_url)) for n in listed]
    more = len(notices) - len(listed)
    title = f"Weir: {len(notices)} notices"
    lines = [text for text, _ in rows] + ([f"and {more} more, listed in Weir"] if more else [])
    plain = "".join(f"- {text}.\n" + (f"  {url}\n" if url else "") for text, url in rows)
    plain += f"- and {more} more, listed in Weir.\n" if more else ""
    items = "".join(
        f'<li><a href="{html.escape(url)}">{html.escape(text)}</a></li>' if url else f"<li>{html.escape(text)}</li>"
        for text, url in rows
    ) + (f"<li>and {more} more, listed in Weir</li>" if more else "")
    return Message(
        id=_id(ids, domain),
        thread=_id("digest " + notices[0].user, domain),
        title=title,
        plain=plain + _foot(base_url),
        html=_page(title, f"<ul>{items}</ul>", base_url),
        lines=tuple(lines),
        links=tuple((text, url) for text, url in rows if url),
    )


def link(notice: Notice, base_url: str | None) -> str | None:
    return base_url.rstrip("/") + path(notice) if base_url else None


def _single(notice: Notice, base_url: str | None, domain: str) -> Message:
    text, url = sentence(notice), link(notice, base_url)
    where = f"\nOpen it: {url}\n" if url else f"\nOpen it in Weir: {path(notice)}\n"
    body = f"<p>{html.escape(text)}.</p>"
    body += (
        f'<p><a href="{html.escape(url)}">Open it in Weir</a></p>'
        if url
        else f"<p>Open it in Weir: {html.escape(path(notice))}</p>"
    )
    return Message(
        id=_id(f"{notice.event} {notice.user}", domain),
        thread=_id(f"about {notice.subject}", domain),
        title=f"Weir: {text}",
        plain=f"{text}.\n{where}{_foot(base_url)}",
        html=_page(text, body, base_url),
        lines=(text,),
        links=((text, url),) if url else (),
    )


def _id(text: str, domain: str) -> str:
    return f"<{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:40]}@{domain}>"


def _foot(base_url: str | None) -> str:
    where = f"{base_url.rstrip('/')}/notifications" if base_url else "Notifications in Weir"
    return f"\nYou choose what you are notified of: {where}\n"


def _page(title: str, body: str, base_url: str | None) -> str:
    foot = "You choose what you are notified of"
    if base_url:
        foot = f'<a href="{html.escape(base_url.rstrip("/"))}/notifications">{foot}</a>'
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title></head>'
        f'<body style="font-family:sans-serif">{body}<p style="color:#666;font-size:small">{foot}.</p></body></html>'
    )


def kept(data: Any, is_declared: Callable[[str], bool] = lambda _: False) -> dict[str, object]:
    """What of an event's data a notice keeps: names and times; no reasons, no fields, no conditions.

    A purpose that is not declared is text of the requester and is left out. So is a path that is too long: a part of one leads
    nowhere.
    """
    names = (
        "requester",
        "user",
        "by",
        "dataset",
        "purpose",
        "until",
        "state",
        "due",
        "title",
        "path",
        "level",
        "bundle",
        "about",
        "change",
        "affected",
        "note",
    )
    matches = {name: _short(data[name]) for name in names if data.get(name) not in (None, [], "")}
    if "path" in matches:
        whole = str(data["path"])
        matches.pop("path")
        if len(whole) <= _LONGEST_PATH and _PATH.fullmatch(whole):
            matches["path"] = whole
    if not is_declared(str(data.get("purpose") or "")):
        matches.pop("purpose", None)
    if data.get("asked"):
        matches["part"] = True
    return matches


def _short(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return ", ".join(plain_text(each, 80) for each in value[:10])
    return value if isinstance(value, int | float | bool) else plain_text(value)
