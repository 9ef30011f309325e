"""The prompt of `weir sql`: lines that continue until `;`, history in WEIR_HOME, completion by the API."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from pygments.lexers.sql import SqlLexer

from api.config.home import Home
from api.features.queries.shell import HELP, Shell, ShellEnded
from api.terminal.failures import print_failure
from api.terminal.output import errors
from api.terminal.statements import is_blank, parted
from catalog.errors import WeirError

_PROMPT = "weir> "


class SqlCompleter(Completer):
    """What `/query/complete` proposes at the cursor. It is asked when Tab is pressed: the audit has each look at columns."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        before = parted(document.text_before_cursor)[1].lstrip()
        if before.startswith("\\") and " " not in before:
            yield from self._commands(before)
        elif before.startswith("\\d "):
            yield from self._asked("SELECT * FROM " + before[3:].lstrip(), "")
        elif not before.startswith("\\"):
            yield from self._asked(before, document.text_after_cursor)

    def _commands(self, before: str) -> Iterator[Completion]:
        for each, text in HELP.items():
            word = each.split()[0]
            if word.startswith(before):
                yield Completion(word, start_position=-len(before), display=each, display_meta=text)

    def _asked(self, before: str, after: str) -> Iterator[Completion]:
        body = {"sql": before + after, "position": len(before), "purpose": self._shell.purpose}
        try:
            answer = self._shell.client.post("/api/v1/query/complete", body)
        except WeirError:
            return  # what is wrong is reported when the statement runs
        for item in answer["items"]:
            yield Completion(
                item["insert"],
                start_position=answer["from"] - len(before),
                display=item["label"],
                display_meta=item["detail"],
            )


def interact(shell: Shell) -> None:
    """Read and run statements until the user leaves. A query that Ctrl-C stops leads back to the prompt."""
    me = shell.client.get("/api/v1/me")
    errors.print(f"{me['user']} at {shell.client.url}. Statements end with ;  \\? lists commands.", markup=False)
    session = _session(shell)
    while True:
        try:
            text = session.prompt(_PROMPT)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        try:
            run_typed(shell, text)
        except ShellEnded:
            return


def run_typed(shell: Shell, text: str) -> None:
    """Run what was typed, up to the first that fails. Raises Left."""
    statements, rest = parted(text)
    for statement in [*statements, *([] if is_blank(rest) else [rest.strip()])]:
        try:
            shell.run(statement)
        except KeyboardInterrupt:
            errors.print("Stopped.", markup=False)
            return
        except WeirError as error:
            print_failure(str(error), error)
            return


def is_whole(text: str) -> bool:
    """Whether Enter runs a text: it ends with `;`, is a `\\` command, a word that leaves, or nothing."""
    _, rest = parted(text)
    return is_blank(rest) or rest.lstrip().startswith("\\") or text.strip().lower() in ("exit", "quit")


def _session(shell: Shell) -> PromptSession[str]:
    return PromptSession(
        completer=SqlCompleter(shell),
        complete_while_typing=False,
        complete_in_thread=True,
        history=FileHistory(history_file(Home.of_environment())),
        key_bindings=_bindings(),
        lexer=PygmentsLexer(SqlLexer),
        multiline=True,
        prompt_continuation=lambda width, number, soft: " " * (width - 2) + "> ",
    )


def history_file(home: Home) -> Path:
    """`sql_history`, which only its user reads: statements may hold values."""
    path = home.root / "sql_history"
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
    return path


def _bindings() -> KeyBindings:
    bindings = KeyBindings()

    @bindings.add("enter")
    def enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state and buffer.complete_state.current_completion:
            buffer.apply_completion(buffer.complete_state.current_completion)
        elif is_whole(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    return bindings
