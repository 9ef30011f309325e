"""Plain words. Documentation and pages use none of the words in docs/contributing/style.md.

In Python files their number may only fall.

`python tests/architecture/test_words.py ROOM` lists the uses in a room; `--lower` writes smaller numbers into words.json.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = Path(__file__).with_name("words.json")
ROOMS = (
    "api",
    "benchmarks",
    "catalog",
    "client",
    "connectors",
    "lineage",
    "policies",
    "scanners",
    "stack",
    "tests",
    "views",
)
PARTICIPLES = {"found", "made", "said", "told", "held"}

GENERATED = {"api.md", "commands.md", "settings.md"}  # written from docstrings and descriptions, so counted there
DOCS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name not in GENERATED | {"style.md"}),
]
PAGES = [
    file
    for file in sorted((ROOT / "ui/src").rglob("*.ts*"))
    if not file.name.endswith((".test.ts", ".test.tsx", ".d.ts"))
]

Use = tuple[int, str]  # line from 1, the word


@cache
def _pattern() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The words to replace, and the phrases in which they may be used, from the table of docs/contributing/style.md."""
    words: list[str] = []
    exceptions: list[str] = []
    for line in (ROOT / "docs/contributing/style.md").read_text().splitlines():
        cells = line.strip("| ").split(" | ")
        if line.startswith("| `"):
            words += re.findall(r"`([^`]+)`", cells[0])
            exceptions += re.findall(r"`([^`]+)`", " ".join(cells[2:]))

    def any_of(phrases: list[str]) -> re.Pattern[str]:
        return re.compile(r"\b(?:" + "|".join(p.replace(" ", r"\s+") for p in phrases) + r")\b", re.I)

    return any_of(words), any_of(exceptions)


def uses(text: str) -> list[Use]:
    """Words to replace in prose, with their lines."""
    words, exceptions = _pattern()
    allowed = [match.span() for match in exceptions.finditer(text)]
    return [
        (text.count("\n", 0, match.start()) + 1, " ".join(match.group().split()))
        for match in words.finditer(text)
        if not any(start <= match.start() and match.end() <= end for start, end in allowed)
    ]


def _blank(match: re.Match[str]) -> str:
    """As many lines as the match has, and nothing else."""
    return "\n" * match.group().count("\n") or " "


def prose_of_markdown(text: str) -> str:
    """Without code, addresses of links and HTML tags; lines keep their numbers."""
    for code in (r"^```.*?^```", r"`[^`]*`", r"(?<=\])\([^)]*\)", r"<[^>]+>"):
        text = re.sub(code, _blank, text, flags=re.S | re.M)
    return text


def uses_on_page(source: str) -> list[Use]:
    """Words to replace in strings of more than one word and in the text between tags of a TSX file."""
    source = re.sub(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*|^import [^;]*;", _blank, source, flags=re.S | re.M)
    strings = r"\"[^\"\n]*\"|`[^`]*`"
    between = r"(?<=[>}])[^<>{}=`\"]+(?=[<{])"
    code = re.compile(r"\b(?:const|function|export|return|interface)\b|\w\(|=>|=\{|&&|\|\||[!=]==|;\s*$", re.M)
    shown: list[Use] = []
    for match in re.finditer(f"{strings}|{between}", source):
        quoted = match.group()[0] in '"`'
        if (quoted and " " not in match.group()) or (not quoted and code.search(match.group())):
            continue
        before = source.count("\n", 0, match.start())
        text = re.sub(r"\$\{[^}]*\}", _blank, match.group())
        shown += [(before + line, word) for line, word in uses(text)]
    return shown


def uses_in_python(source: str) -> tuple[list[Use], list[Use]]:
    """Words to replace in docstrings and other sentences of a Python file; participles that name variables."""
    words: list[Use] = []
    names: list[Use] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            words += [(node.lineno + line - 1, word) for line, word in uses(prose_of_markdown(node.value))]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in PARTICIPLES:
            names.append((node.lineno, node.id))
        elif isinstance(node, ast.arg) and node.arg in PARTICIPLES:
            names.append((node.lineno, node.arg))
    return words, names


@cache
def in_room(room: str) -> dict[str, dict[Path, list[Use]]]:
    """`words` and `names` -> file -> uses, for the Python files of a top-level folder."""
    kinds: dict[str, dict[Path, list[Use]]] = {"words": {}, "names": {}}
    for file in sorted((ROOT / room).rglob("*.py")):
        if file != Path(__file__):
            kinds["words"][file], kinds["names"][file] = uses_in_python(file.read_text())
    return kinds


def number(room: str, kind: str) -> int:
    return sum(map(len, in_room(room)[kind].values()))


def _changed() -> set[Path]:
    """Files that differ from where the branch left main, where git knows that."""

    def git(*arguments: str) -> list[str]:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout.split()

    base = git("merge-base", "HEAD", "main") or ["HEAD"]
    return {
        ROOT / name for name in git("diff", "--name-only", *base) + git("ls-files", "--others", "--exclude-standard")
    }


def listed(room: str, kind: str) -> Iterator[str]:
    """`file:line: word`, of the files changed since main where there are any, else of the whole room."""
    files = {file: in_file for file, in_file in in_room(room)[kind].items() if in_file}
    changed = {file: files[file] for file in _changed() & set(files)}
    for file, in_file in (changed or files).items():
        for line, word in in_file:
            yield f"{file.relative_to(ROOT)}:{line}: {word}"


@pytest.mark.parametrize("page", DOCS, ids=lambda p: str(p.relative_to(ROOT)))
def test_documentation_uses_plain_words(page: Path) -> None:
    assert uses(prose_of_markdown(page.read_text())) == [], "docs/contributing/style.md has better words"


def test_pages_use_plain_words() -> None:
    shown = [
        f"{file.relative_to(ROOT)}:{line}: {word}" for file in PAGES for line, word in uses_on_page(file.read_text())
    ]
    assert shown == [], "docs/contributing/style.md has better words"


@pytest.mark.parametrize("kind", ["words", "names"])
@pytest.mark.parametrize("room", ROOMS)
def test_python_files_use_fewer_of_them(room: str, kind: str) -> None:
    most = json.loads(NUMBERS.read_text())[room][kind]
    if number(room, kind) > most:
        places = "\n".join(listed(room, kind))
        pytest.fail(
            f"{number(room, kind)} uses in {room}/, and words.json allows {most}."
            f" docs/contributing/style.md has better words.\n{places}"
        )


def test_the_checks_see_what_they_are_for() -> None:
    assert uses("The header says so; there is no file, it is no longer\nread, it is no file.") == [
        (1, "says"),
        (2, "is no"),
    ]
    assert uses(prose_of_markdown("`it says`, [a](says.md)\n```\nsays\n```\nsays")) == [(5, "says")]
    assert uses_on_page('const a = "says";\n// it says\n<p title="What it says">\n  {x} stands\n  here <b/></p>') == [
        (3, "says"),
        (4, "stands"),
    ]
    words, names = uses_in_python('def f(said):\n    """It says."""\n    found = f"told {said} x"\n')
    assert words == [(2, "says"), (3, "told")]
    assert sorted(names) == [(1, "said"), (3, "found")]


def main(arguments: list[str]) -> None:
    if arguments == ["--lower"]:
        before = json.loads(NUMBERS.read_text()) if NUMBERS.exists() else {}
        now = {room: {kind: number(room, kind) for kind in ("words", "names")} for room in ROOMS}
        for room, kinds in now.items():
            for kind in kinds:
                kinds[kind] = min(kinds[kind], before.get(room, kinds).get(kind, kinds[kind]))
        NUMBERS.write_text(json.dumps(now, indent=1) + "\n")
        return
    for room in arguments or ROOMS:
        for kind in ("words", "names"):
            total = Counter(word.lower() for in_file in in_room(room)[kind].values() for _, word in in_file)
            print(room, kind, number(room, kind), dict(total.most_common(8)))
            if arguments:
                print(*listed(room, kind), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
