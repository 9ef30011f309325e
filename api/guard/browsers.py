"""A browser in two words, from its own description: enough to know a session again in a list, and no more."""

from __future__ import annotations

from fastapi import Request

_BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
_SYSTEMS = {
    "Windows": "Windows",
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}


def browser_of(request: Request) -> str:
    """`Firefox on Linux`; `a browser` where neither is known."""
    agent = request.headers.get("user-agent", "")
    browser = next((name for mark, name in _BROWSERS.items() if mark in agent), "a browser")
    system = next((name for mark, name in _SYSTEMS.items() if mark in agent), None)
    return f"{browser} on {system}" if system else browser
