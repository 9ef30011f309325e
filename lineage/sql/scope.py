"""Names inside one SELECT: which relation a column belongs to. What two relations could hold is not decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from lineage.sql.limits import Budget
from lineage.sql.model import SqlLineage
from lineage.sql.relations import Output, Relation, Value, step, union

WINDOWS = ("window", "session_window")


@dataclass(slots=True)
class Scope:
    """The relations a SELECT reads, by lower-case name; the scope around it; names of its own outputs."""

    sql_lineage: SqlLineage
    budget: Budget
    parent: Scope | None = None
    ctes: Mapping[str, Relation] = field(default_factory=dict)
    sources: dict[str, Relation] = field(default_factory=dict)
    full_names: dict[str, str] = field(default_factory=dict)
    """Alias -> the table's whole name in lower case, for `db.table.column`."""
    joined: set[str] = field(default_factory=set)
    """Columns named by USING: they belong to both sides."""
    aliases: dict[str, int] = field(default_factory=dict)
    """Names of its own outputs, and their places in the list."""
    outputs: Sequence[Output] = ()
    visible: int = 0
    """As many of the outputs, from the first, can the clause being read mean by their names."""
    sure: set[str] = field(default_factory=set)
    """Names that can only be an output's in the clause being read."""
    certain: set[str] = field(default_factory=set)
    """Such names that a column is sure to have: they are read where no output could be meant."""
    bound: dict[str, Value] = field(default_factory=dict)
    """Parameters of the lambda being read."""
    time_windows: dict[str, Value] = field(default_factory=dict)
    """What GROUP BY makes to be selected beside the columns: Spark's `window` and `session_window`."""
    windows: dict[str, exp.Expression] = field(default_factory=dict)

    @property
    def open(self) -> bool:
        """Whether there is a relation of which not all columns are known."""
        return any(source.names() is None for source in self.sources.values())

    def column(self, parts: Sequence[str], alias_first: bool = False) -> Value:
        """The value of a column written with these parts (`o.customer.email`); empty, and reported, when not known."""
        self.budget.spend()
        value = self._look(parts, alias_first)
        if value is None:
            self.sql_lineage.doubt(f"column {'.'.join(parts)} cannot be determined")
            return Value()
        return value

    def _look(self, parts: Sequence[str], alias_first: bool) -> Value | None:
        if parts[0].lower() in self.bound:
            return _steps(self.bound[parts[0].lower()], parts[1:])
        if len(parts) > 1:
            value = self._qualified(parts)
            if value is not None:
                return value
        name = parts[0].lower()
        if alias_first and name in self.aliases:
            return _steps(self.outputs[self.aliases[name]].get(), parts[1:])
        value = self._bare(parts[0])
        if name in self.aliases:
            value = self._or_output(name, value)
        if value is None and name in self.time_windows:
            return self.time_windows[name]
        return _steps(value, parts[1:]) if value is not None else None

    def _or_output(self, name: str, column: Value | None) -> Value | None:
        """A name that an output has: a column of it goes before; None where it is uncertain, unless both are the same."""
        output = self.outputs[self.aliases[name]]
        if output.busy:  # the output is being made of it
            self.certain.add(name)
            return column
        answers = {source.has(name) for source in self.sources.values()}
        if True in answers:
            return column
        if None not in answers:
            return output.get() if column is None else column
        if name in self.sure:
            return output.get()
        if self.aliases[name] >= self.visible:
            self.certain.add(name)
        if name in self.certain:
            return column
        value = output.get()  # which may show that a column has the name
        return column if name in self.certain or value == column else None

    def _qualified(self, parts: Sequence[str]) -> Value | None:
        """`alias.column...` or `db.table.column...`, here or in a scope around this one."""
        scope: Scope | None = self
        while scope is not None:
            for taken in range(1, len(parts)):
                source = scope.source(parts[:taken])
                if source is not None:
                    value = source.find(parts[taken])
                    return _steps(value, parts[taken + 1 :]) if value is not None else None
            scope = scope.parent
        return None

    def source(self, parts: Sequence[str]) -> Relation | None:
        name = ".".join(parts).lower()
        if name in self.sources:
            return self.sources[name]
        if len(parts) == 1:
            return None
        return next((self.sources[a] for a, full in self.full_names.items() if (f".{full}").endswith(f".{name}")), None)

    def _bare(self, name: str) -> Value | None:
        holders = [source for source in self.sources.values() if source.has(name)]
        if len(holders) == 1:
            return holders[0].find(name)
        if len(holders) > 1:
            if name.lower() in self.joined:
                return union([value for h in holders if (value := h.find(name)) is not None], self.budget)
            return None
        open_sources = [source for source in self.sources.values() if source.has(name) is None]
        outside = self.parent._bare(name) if self.parent is not None else None
        # With one relation of unknown columns it can only be that one's, unless something around holds it too.
        if len(open_sources) == 1 and len(self.sources) == 1 and outside is None and self._nothing_open_outside():
            return open_sources[0].find(name)
        if name.lower() in self.joined and open_sources and len(open_sources) == len(self.sources):
            return union([value for s in open_sources if (value := s.find(name)) is not None], self.budget)
        return outside if not open_sources else None

    def _nothing_open_outside(self) -> bool:
        scope = self.parent
        while scope is not None:
            if any(source.names() is None for source in scope.sources.values()):
                return False
            scope = scope.parent
        return True


def _steps(value: Value | None, names: Sequence[str]) -> Value | None:
    for name in names:
        if value is None:
            return None
        value = step(value, name)
    return value
