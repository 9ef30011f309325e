"""Which mask policies apply to a subject: all of them at once, as bits of one number. Pure.

A thousand policies name a few dozen users, groups, roles and purposes. So for each name it is kept which policies name
it, bit `i` for policy `i`; a subject's stances are an OR over the names that are theirs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from policies.matching import Who
from policies.model import MaskPolicy, SubjectMatch


class Stance(Enum):
    """Whether a mask policy applies to a subject."""

    SILENT = "not about them"
    APPLIES = "applies"
    EXCEPTED = "they are excepted"
    EXCEPTED_BY_GRANT = "they are excepted where a grant carries the stated purpose"


@dataclass(frozen=True, slots=True)
class Stances:
    """Three disjoint sets of policies, as bits; in none of them: silent. Equal for all who are alike to the policies."""

    applies: int
    excepted: int
    by_grant: int

    @property
    def addressed(self) -> int:
        return self.applies | self.excepted | self.by_grant

    def among(self, policies: int) -> Stances:
        """The same, of these policies alone (as bits)."""
        return Stances(self.applies & policies, self.excepted & policies, self.by_grant & policies)

    def of(self, index: int) -> Stance:
        bit = 1 << index
        if self.applies & bit:
            return Stance.APPLIES
        if self.excepted & bit:
            return Stance.EXCEPTED
        return Stance.EXCEPTED_BY_GRANT if self.by_grant & bit else Stance.SILENT


class StanceIndex:
    def __init__(self, policies: Sequence[MaskPolicy]) -> None:
        self._subjects = _Naming(p.subjects for p in policies)
        self._exempt = _Naming(p.exempt for p in policies)

    def of(self, who: Who, path: Sequence[str]) -> Stances:
        """`path`: the stated purpose and those that cover it; empty: none is stated."""
        addressed = self._subjects.among(who) | self._subjects.for_purpose(path)
        excepted = addressed & self._exempt.among(who)
        # A purpose alone proves nothing: it excepts from a policy where a grant carries it, see `Asking.draft`.
        by_grant = addressed & ~excepted & self._exempt.for_purpose(path)
        return Stances(addressed & ~excepted & ~by_grant, excepted, by_grant)


class _Naming:
    """Which policies name whom, by one of their two matches (subjects, or exempt)."""

    def __init__(self, matches: Iterable[SubjectMatch]) -> None:
        self._everyone = 0
        self._users: dict[str, int] = defaultdict(int)
        self._groups: dict[str, int] = defaultdict(int)
        self._roles: dict[str, int] = defaultdict(int)
        self.purposes: dict[str, int] = defaultdict(int)
        for index, match in enumerate(matches):
            bit = 1 << index
            self._everyone |= bit if match.everyone else 0
            for by_name, names in (
                (self._users, match.users),
                (self._groups, match.groups),
                (self._roles, match.roles),
                (self.purposes, match.purposes - {""}),
            ):
                for name in names:
                    by_name[name] |= bit

    def for_purpose(self, path: Sequence[str]) -> int:
        """The policies whose match names one of these purposes."""
        naming = 0
        for each in path:
            naming |= self.purposes.get(each, 0)
        return naming

    def among(self, who: Who) -> int:
        """The policies whose match names the user, one of the groups or roles, or everyone."""
        bits = self._everyone | self._users.get(who.user, 0)
        for group in who.groups:
            bits |= self._groups.get(group, 0)
        for role in who.roles:
            bits |= self._roles.get(role, 0)
        return bits


def positions(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set, rising."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def bits_of(numbers: Iterable[int], size: int) -> int:
    """The number whose bits these are. `size`: more than the largest of them."""
    octets = bytearray((size + 7) // 8)
    for number in numbers:
        octets[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(octets, "little")
