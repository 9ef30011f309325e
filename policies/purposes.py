"""The declared tree of purposes: a purpose covers itself and everything below it, never what is above. Pure.

The closure is computed once, when the tree is made, so a decision looks at the few names on the way up from one purpose.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from catalog.errors import InvalidInput
from catalog.near_names import did_you_mean

MOST_NEAR = 3
MOST_LEVELS = 100
"""Of the tree: each purpose keeps its way up."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """One declared purpose. `legal_basis`, `retention` None: those of the nearest purpose above that has one."""

    name: str
    parent: str | None = None
    title: str = ""
    description: str = ""
    legal_basis: str | None = None
    retention: str | None = None
    owner: str | None = None
    deprecated: bool = False


class Purposes:
    """A tree of purposes. An empty one knows no names: then every purpose is free text that covers itself alone.

    Equal by identity: who keeps answers keeps them for this very tree.
    """

    def __init__(self, declared: Iterable[Purpose] = ()) -> None:
        self.by_name: Mapping[str, Purpose] = {each.name: each for each in declared}
        self._paths = {name: self._up(name) for name in self.by_name}
        below: dict[str, list[str]] = defaultdict(list)
        for name, path in self._paths.items():
            for above in path:
                below[above].append(name)
        self._below = {name: tuple(sorted(names)) for name, names in below.items()}

    def __bool__(self) -> bool:
        return bool(self.by_name)

    def _up(self, name: str) -> tuple[str, ...]:
        path = [name]
        while (parent := self.by_name[path[-1]].parent) is not None and parent in self.by_name:
            if parent in path:
                return (name,)  # in a circle nothing covers anything else
            path.append(parent)
        return tuple(path)

    def path(self, name: str | None) -> tuple[str, ...]:
        """The purpose, then those that cover it, up to the root; of a name that is not declared the name alone."""
        if name is None:
            return ()
        return self._paths.get(name) or (name,)

    def covers(self, above: str, name: str) -> bool:
        """Whether what names `above` holds for `name`: it is the same, or one of its parents."""
        return above in self.path(name)

    def below(self, name: str) -> tuple[str, ...]:
        """The purpose and all that it covers, sorted; of a name that is not declared the name alone."""
        return self._below.get(name) or (name,)

    def legal_basis(self, name: str | None) -> str | None:
        """Its own, else that of the nearest purpose above."""
        return next((p.legal_basis for p in self._declared_path(name) if p.legal_basis), None)

    def retention(self, name: str | None) -> str | None:
        """Its own, else that of the nearest purpose above, as in `90d`."""
        return next((p.retention for p in self._declared_path(name) if p.retention), None)

    def _declared_path(self, name: str | None) -> list[Purpose]:
        return [self.by_name[each] for each in self.path(name) if each in self.by_name]

    def recorded(self, name: str | None) -> list[str] | None:
        """The path as the audit keeps it, root first; None where no tree is declared, or no purpose is stated."""
        return list(reversed(self.path(name))) if name is not None and self else None

    def is_known(self, name: str | None) -> bool:
        """Whether the purpose may be stated: it is declared, or no purpose is."""
        return name is None or not self or name in self.by_name

    def unknown(self, name: str) -> str:
        """The sentence that refuses a purpose that is not declared, with the names nearest to it."""
        fix = did_you_mean(self.near(name), "`weir request purposes` has those that are declared.")
        return f"There is no declared purpose {name[:100]!r}; {fix}"

    def near(self, name: str) -> list[str]:
        """Declared names that look like one, best first."""
        return nearest(name, self.by_name)

    def require(self, name: str | None) -> None:
        """Raises InvalidInput where purposes are declared and this one is not."""
        if name is not None and not self.is_known(name):
            raise InvalidInput(self.unknown(name), details={"field": "purpose", "near": self.near(name)})

    def require_new(self, name: str) -> None:
        """The same for something new that is to last: a deprecated purpose takes none. Raises InvalidInput."""
        self.require(name)
        if name in self.by_name and self.by_name[name].deprecated:
            others = [each for each in self.path(name)[1:] if not self.by_name[each].deprecated]
            fix = f"use {others[0]}, which covers it" if others else "use another (`weir request purposes`)"
            raise InvalidInput(
                f"The purpose {name} is deprecated and takes no new access; {fix}.", details={"field": "purpose"}
            )

    def worth_stating(self, granted: Collection[str], mentioned: Iterable[str]) -> Sequence[str]:
        """Of all purposes that grants back, enough to see every different answer, sorted.

        granted    purposes that grants carry; mentioned: those that policies name
        A purpose that neither names is decided on as the nearest one above it that is named.
        """
        names = set(granted) | {each for each in mentioned if not set(granted).isdisjoint(self.path(each))}
        return sorted(filter(self.is_known, names))

    def ordered(self) -> list[Purpose]:
        """Every purpose, each behind its parent, siblings by name."""
        return sorted(self.by_name.values(), key=lambda each: tuple(reversed(self._paths[each.name])))


@lru_cache(maxsize=65536)
def key(name: str) -> str:
    """Names of one key are too alike to be two purposes."""
    return unicodedata.normalize("NFKC", name).casefold()


def nearest(name: str, names: Iterable[str]) -> list[str]:
    """Those of `names` that look like one, best first."""
    folded = {key(each): each for each in sorted(names)}
    return [folded[each] for each in difflib.get_close_matches(key(name[:253]), list(folded), MOST_NEAR, 0.5)]


class Fit:
    """Whether purposes fit in with one another. All of them are looked at once, in a time that grows as their number does."""

    def __init__(self, purposes: Mapping[str, Purpose]) -> None:
        self._purposes = purposes
        self._alike: dict[str, list[str]] = defaultdict(list)
        for name in sorted(purposes):
            self._alike[key(name)].append(name)
        self._levels: dict[str, int] = {}
        self._circles: dict[str, str] = {}
        for name in purposes:
            self._look(name)

    def _look(self, name: str) -> None:
        """Go up until what is above is known, and note it for the whole way."""
        way: list[str] = []
        at: dict[str, int] = {}
        here: str | None = name
        while (
            here is not None
            and here in self._purposes
            and not (here in self._levels or here in self._circles or here in at)
        ):
            at[here] = len(way)
            way.append(here)
            here = self._purposes[here].parent
        if here is not None and (here in at or here in self._circles):
            circle = _shortened([*way[at[here] :], here]) if here in at else self._circles[here]
            self._circles |= dict.fromkeys(way, circle)
            return
        above = self._levels.get(here, 0) if here is not None else 0
        self._levels |= {each: above + number for number, each in enumerate(reversed(way), 1)}

    def problem(self, name: str) -> str | None:
        """Why one purpose does not fit in with the others, in words for behind its name; None where it does."""
        twin = next((each for each in self._alike[key(name)] if each != name), None)
        if twin is not None:
            return f"differs from the purpose {twin!r} in letters' case or form alone; take another name"
        parent = self._purposes[name].parent
        if parent is not None and parent not in self._purposes:
            near = [each for each in nearest(parent, self._purposes) if each != name]
            fix = did_you_mean(near, "declare it too.")
            return f"names the parent {parent!r}, which is not declared; {fix}".removesuffix(".")
        if name in self._circles:
            return f"is in a circle of parents ({self._circles[name]}); take one parent out"
        if self._levels[name] > MOST_LEVELS:
            return f"is on level {self._levels[name]} of the tree, and there are at most {MOST_LEVELS}; put it higher"
        return None


def _shortened(way: Sequence[str]) -> str:
    return " -> ".join(way if len(way) <= 12 else [*way[:10], "...", way[-1]])


def problem(name: str, purposes: Mapping[str, Purpose]) -> str | None:
    """`Fit.problem` of one purpose."""
    return Fit(purposes).problem(name)


NO_PURPOSES = Purposes()
"""Nothing is declared: purposes are free text."""
