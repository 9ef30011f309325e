"""The place of further options for Java in the command of a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from stack import StackSettings
from stack.home import Home
from stack.installed.java import Java
from stack.servers.server import Site


def words(folder: Path, options: str, *own: str) -> list[str]:
    site = Site(Home(folder), Java(folder, 21), StackSettings(java_options=options), {})
    _, file = site.java_file("neo4j", list(own))
    return [json.loads(line) for line in Path(file.removeprefix("@")).read_text().splitlines()]


@pytest.mark.parametrize("end", [["-cp", "a.jar", "Main"], ["-jar", "a.jar"]])
def test_they_come_after_weirs_own_and_before_the_program(tmp_path: Path, end: list[str]) -> None:
    own = ["-Xmx1g", "-XX:+UseSerialGC"]
    assert words(tmp_path, '-XX:+UseG1GC -Dplace="a b"', *own, *end) == [
        *own,
        "-XX:+UseG1GC",
        "-Dplace=a b",
        *end,
    ]


def test_without_the_setting_nothing_is_added(tmp_path: Path) -> None:
    assert words(tmp_path, "", "-Xmx1g", "-cp", "a.jar", "Main") == ["-Xmx1g", "-cp", "a.jar", "Main"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("org.example.Main", "org.example.Main is not an option of Java"),
        ("-Xss2m Main", "Main is not an option of Java"),
        ('-Dplace="a', "No closing quotation"),
    ],
)
def test_what_java_would_not_take_as_options_is_refused(options: str, reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        StackSettings(java_options=options)
