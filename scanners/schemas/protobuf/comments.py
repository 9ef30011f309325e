"""The comments of a .proto file's messages and fields: those right above, or behind on the same line."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)|(?P<break>\n)|[^\S\n]+|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
    r"""|(?P<word>[\w.]+)|(?P<mark>[^\w\s])""",
    re.S,
)


_NOBODY = "{"


def comments(text: str) -> dict[str, str]:
    """Full name of a message, enum or field -> its comment, without the marks. Empty for what is not .proto text."""
    return _Reader().read(text)


class _Reader:
    def __init__(self) -> None:
        self.found: dict[str, str] = {}
        self._package = ""
        self._scopes: list[str | None] = []
        self._statement: list[str] = []
        self._above: list[str] = []
        self._last = ""  # the name that the line has given a comment a place for
        self._blank = 0

    def read(self, text: str) -> dict[str, str]:
        for token in _TOKEN.finditer(text):
            match token.lastgroup:
                case "line" | "block":
                    self._comment(_plain(token.group()))
                case "break":
                    self._blank += 1
                    self._last = ""
                    if self._blank > 1:
                        self._above = []
                case "word" | "text" | "mark":
                    self._blank = 0
                    self._take(token.group())
        return self.found

    def _comment(self, text: str) -> None:
        self._blank = 0
        if self._last == _NOBODY:
            return
        if self._last and self._last not in self.found:
            self.found[self._last] = text
        elif not self._last:
            self._above.append(text)

    def _take(self, token: str) -> None:
        if token == "{":
            words = self._statement
            named = len(words) > 1 and words[0] in ("message", "enum", "group")
            # The fields of a oneof belong to its message.
            self._scopes.append(words[1] if named else "" if words[:1] == ["oneof"] else None)
            if named:
                self._give(self._name())
            self._end()
            self._last = self._name() if named else _NOBODY
        elif token == "}":
            if self._scopes:
                self._scopes.pop()
            self._end()
        elif token == ";":
            words = self._statement
            if words[:1] == ["package"] and len(words) > 1:
                self._package = words[1]
            elif "=" in words[1:] and None not in self._scopes and self._scopes:
                self._give(self._name(words[words.index("=") - 1]))
                self._last = self._name(words[words.index("=") - 1])
            last = self._last
            self._end()
            self._last = last
        else:
            self._statement.append(token)

    def _name(self, *more: str) -> str:
        return ".".join(part for part in (self._package, *self._scopes, *more) if part)

    def _give(self, name: str) -> None:
        if self._above:
            self.found[name] = " ".join(self._above)

    def _end(self) -> None:
        self._statement, self._above, self._last = [], [], ""


def _plain(text: str) -> str:
    inner = text[2:-2] if text.startswith("/*") else text.lstrip("/")
    return " ".join(line.strip().lstrip("*").strip() for line in inner.splitlines()).strip()
