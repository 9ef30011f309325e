"""`weir sql`: statements of a terminal or of standard input, one after another, each answered as `weir query` answers it."""

from __future__ import annotations

import signal
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from api.features.queries.commands import QueryFormat, TableLook, run_query
from api.terminal.failures import print_failure
from api.terminal.http import Api, segment
from api.terminal.output import errors, print_text
from api.terminal.pager import paged
from api.terminal.parameters import names_in
from api.terminal.statements import is_blank, parted
from api.terminal.text_input import standard_input
from catalog.errors import InvalidInput, WeirError
from catalog.near_names import did_you_mean

HELP = {
    "\\d": "Datasets that may be queried.",
    "\\d NAME": "Columns of a dataset, with what you see of each.",
    "\\purpose [NAME]": "Query for a purpose; without a name, for none.",
    "\\set NAME=VALUE": "The value of :NAME in statements; NAME:number=5, NAME:null.",
    "\\x": "Rows one value a line, or as a table again.",
    "\\?": "This list.",
    "\\q": "Leave; so does Ctrl-D.",
}
_STOP_S = 10.0
"""How long the prompt waits for the server to stop a query."""
_LEAVE = ("exit", "quit")
_LIST = "\\? lists those there are."


class ShellEnded(Exception):
    """`\\q` was typed."""


@dataclass(slots=True)
class Shell:
    """`given`: values of parameters by their names, as `--param` takes them."""

    client: Api
    purpose: str | None = None
    limit: int | None = None
    output: QueryFormat = QueryFormat.TABLE
    blocks: bool = False
    given: dict[str, str] = field(default_factory=dict)

    def run(self, statement: str) -> None:
        """Run one statement or one `\\` command. Raises WeirError, Left, and KeyboardInterrupt behind a query that was
        stopped."""
        words = statement.split()
        if statement.startswith("\\"):
            self._command(words[0], statement.partition(words[0])[2].strip())
        elif len(words) == 1 and words[0].lower() in _LEAVE:
            raise ShellEnded
        else:
            self._query(statement)

    def _query(self, statement: str) -> None:
        query_id = f"cli-{uuid.uuid4().hex}"
        given = self._given(statement)
        with at_interrupt(lambda: self._stop(query_id)):
            run_query(
                self.client, statement, given, self.purpose, self.limit, self.output, None, False,
                query_id=query_id, look=TableLook(paged, self.blocks, "by \\x"),
            )  # fmt: skip

    def _stop(self, query_id: str) -> None:
        with suppress(WeirError):  # it may have ended by itself
            self.client.delete(f"/api/v1/queries/{segment(query_id)}")

    def _given(self, statement: str) -> list[str]:
        names = names_in(statement)
        if missing := [name for name in names if name not in self.given]:
            raise InvalidInput(_missing(missing))
        return [self.given[name] for name in names]

    def _command(self, word: str, rest: str) -> None:
        rest = rest.removesuffix(";").strip()
        match word:
            case "\\d" if rest:
                self._query(f"DESCRIBE {rest}")
            case "\\d":
                self._query("SHOW TABLES")
            case "\\purpose":
                self.purpose = rest or None
                errors.print(f"Queries are for {rest}." if rest else "Queries are for no purpose.", markup=False)
            case "\\set":
                name = rest.partition("=")[0].partition(":")[0].strip()
                if not name:
                    raise InvalidInput("Write \\set NAME=VALUE, NAME:number=NUMBER or NAME:null.")
                self.given[name] = rest
            case "\\x":
                self.blocks = not self.blocks
                errors.print("One value a line." if self.blocks else "As a table.", markup=False)
            case "\\?":
                width = max(map(len, HELP))
                print_text("\n".join(f"{each:{width}}  {text}" for each, text in HELP.items()))
            case "\\q":
                raise ShellEnded
            case _:
                known = sorted({each.split()[0] for each in HELP})
                near = [each for each in known if each[:2] == word[:2]]
                raise InvalidInput(f"There is no {word}; {did_you_mean(near, _LIST)}")


@contextmanager
def at_interrupt(stop: Callable[[], None]) -> Iterator[None]:
    """Runs `stop` beside the block at Ctrl-C, and raises KeyboardInterrupt.

    Python loses a KeyboardInterrupt that arrives inside a callback. The answer that ends behind `stop` counts as stopped too.
    """
    stopping: list[threading.Thread] = []

    def interrupted(number: int, frame: object) -> None:
        stopping.append(threading.Thread(target=stop, name="weir-stop"))
        stopping[-1].start()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    except WeirError:
        if stopping:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, before)
        for each in stopping:
            each.join(_STOP_S)


def _missing(names: Sequence[str]) -> str:
    sets = ", ".join(f"\\set {name}=VALUE" for name in names)
    return f"The statement has parameters without a value; write {sets}."


def run_given(shell: Shell) -> int:
    """Run the statements of standard input, up to the first that fails; the exit code. The last one needs no `;`."""
    statements, rest = parted(standard_input())
    if not is_blank(rest):
        statements.append(rest.strip())
    for number, statement in enumerate(statements, 1):
        try:
            shell.run(statement)
        except ShellEnded:
            return 0
        except WeirError as error:
            print_failure(str(error), error)
            if left := len(statements) - number:
                errors.print(
                    f"Statement {number} of {len(statements)} failed; {left} behind it did not run.", markup=False
                )
            return 1
    return 0
