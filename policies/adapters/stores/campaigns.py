"""Access reviews in the record store: SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, func, insert, select, update

from catalog.adapters.sql.database import Database
from catalog.errors import Conflict
from policies.adapters.stores.campaign_tables import CampaignItemRow, CampaignRow, CampaignSetRow
from policies.campaigns.model import (
    Campaign,
    CampaignState,
    Item,
    ItemState,
    Outcome,
    ReviewerSet,
    Right,
    SharedSets,
    moment,
)
from policies.campaigns.ports import Counted, ItemFilter

_C: Any = CampaignRow.__table__
_I: Any = CampaignItemRow.__table__
_S: Any = CampaignSetRow.__table__
_CAMPAIGN = select(_C.c.id, _C.c.review, _C.c.state, _C.c.started_at, _C.c.due_at, _C.c.version, _C.c.body)
_ITEM = select(
    _I.c.review, _I.c.number, _I.c.state, _I.c.outcome, _I.c.reviewers, _I.c.opens, _I.c.unused, _I.c.version, _I.c.body
)
_AT_ONCE = 500
_REVIEWERS, _OPENS = "reviewers", "opens"
"""Kinds of sets."""


class SqlCampaignStore:
    """`CampaignStore` on the record store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def transaction(self) -> AbstractContextManager[Any]:
        return self._database.begin()

    def add(self, campaign: Campaign, items: Sequence[Item], sets: SharedSets) -> bool:
        with self._database.begin() as session:
            if session.execute(select(_C.c.id).where(_C.c.id == campaign.id)).first() is not None:
                return False
            session.execute(insert(_C).values(id=campaign.id, version=campaign.version, **_campaign_values(campaign)))
            bodies = [
                *((_REVIEWERS, key, each.to_json()) for key, each in sets.reviewers.items()),
                *((_OPENS, key, datasets) for key, datasets in sets.opens.items()),
            ]
            shared = [{"review": campaign.id, "kind": kind, "set_key": key, "body": body} for kind, key, body in bodies]
            for start in range(0, len(shared), _AT_ONCE):
                session.execute(insert(_S), shared[start : start + _AT_ONCE])
            rows = [
                {"review": item.campaign, "number": item.number, "version": item.version, **_item_values(item)}
                for item in items
            ]
            for start in range(0, len(rows), _AT_ONCE):
                session.execute(insert(_I), rows[start : start + _AT_ONCE])
            return True

    def get(self, campaign_id: str) -> Campaign | None:
        with self._database.read() as session:
            row = session.execute(_CAMPAIGN.where(_C.c.id == campaign_id)).first()
        return _campaign(row) if row is not None else None

    def campaigns(self, states: Collection[str] | None = None, review: str | None = None) -> list[Campaign]:
        query = _CAMPAIGN
        if states is not None:
            query = query.where(_C.c.state.in_(sorted(map(str, states))))
        if review is not None:
            query = query.where(_C.c.review == review)
        with self._database.read() as session:
            campaigns = [_campaign(row) for row in session.execute(query)]
        return sorted(campaigns, key=lambda c: (c.started_at, c.id), reverse=True)

    def change(self, campaign: Campaign) -> Campaign:
        there = (_C.c.id == campaign.id, _C.c.version == campaign.version)
        with self._database.begin() as session:
            values = {"version": campaign.version + 1, **_campaign_values(campaign)}
            done: Any = session.execute(update(_C).where(*there).values(**values))
            if done.rowcount != 1:
                raise _faster(f"Access review {campaign.id}")
        return replace(campaign, version=campaign.version + 1)

    def reviewers(self, campaign_id: str) -> dict[str, ReviewerSet]:
        return {key: ReviewerSet.from_json(body) for key, body in self._sets(campaign_id, _REVIEWERS)}

    def opens(self, campaign_id: str) -> dict[str, list[str]]:
        return dict(self._sets(campaign_id, _OPENS))

    def _sets(self, campaign_id: str, kind: str) -> list[tuple[str, Any]]:
        query = select(_S.c.set_key, _S.c.body).where(_S.c.review == campaign_id, _S.c.kind == kind)
        with self._database.read() as session:
            return [(str(key), body) for key, body in session.execute(query)]

    def item(self, campaign_id: str, number: int) -> Item | None:
        with self._database.read() as session:
            row = session.execute(_ITEM.where(_I.c.review == campaign_id, _I.c.number == number)).first()
        return _item(row) if row is not None else None

    def items(self, campaign_id: str, where: ItemFilter, after: int = 0, limit: int = 1000) -> list[Item]:
        query = _ITEM.where(_I.c.review == campaign_id, _I.c.number > after, *_wanted(where))
        with self._database.read() as session:
            return [_item(row) for row in session.execute(query.order_by(_I.c.number).limit(limit))]

    def counts(self, campaign_id: str, where: ItemFilter) -> list[Counted]:
        keys = (_I.c.state, _I.c.outcome, _I.c.reviewers, _I.c.unused, _I.c.at_source)
        query = select(*keys, func.count()).where(_I.c.review == campaign_id, *_wanted(where)).group_by(*keys)
        with self._database.read() as session:
            return [Counted(*row) for row in session.execute(query)]

    def change_item(self, item: Item) -> Item:
        there = (_I.c.review == item.campaign, _I.c.number == item.number, _I.c.version == item.version)
        with self._database.begin() as session:
            values = {"version": item.version + 1, **_item_values(item)}
            done: Any = session.execute(update(_I).where(*there).values(**values))
            if done.rowcount != 1:
                raise _faster(f"Item {item.number} of access review {item.campaign}")
        return replace(item, version=item.version + 1)


def _faster(what: str) -> Conflict:
    return Conflict(f"{what} was changed by another meanwhile; look at it again, and repeat.")


def _wanted(where: ItemFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    lists = (
        (_I.c.state, where.states),
        (_I.c.outcome, where.outcomes),
        (_I.c.reviewers, where.reviewers),
        (_I.c.opens, where.opens),
    )
    conditions += [column.in_(sorted(map(str, values))) for column, values in lists if values is not None]
    ones = ((_I.c.kind, where.kind), (_I.c.person, where.person), (_I.c.unused, where.unused))
    return conditions + [column == value for column, value in ones if value is not None]


def _campaign_values(campaign: Campaign) -> dict[str, object]:
    return {
        "review": campaign.review,
        "state": str(campaign.state),
        "started_at": campaign.started_at,
        "due_at": campaign.due_at,
        "body": campaign.body(),
    }


def _campaign(row: Any) -> Campaign:
    campaign_id, review, state, started_at, due_at, version, body = row
    return Campaign(
        id=campaign_id,
        review=review,
        terms=body["terms"],
        state=CampaignState(state),
        started_at=started_at,
        started_by=body["startedBy"],
        due_at=due_at,
        no_answer=body["noAnswer"],
        occurrence=moment(body["occurrence"]),
        closed_at=moment(body["closedAt"]),
        closed_by=body["closedBy"],
        reminded=tuple(body["reminded"]),
        notes=tuple(body["notes"]),
        digest=body["digest"],
        audit=body["audit"],
        version=version,
        reason=body["reason"],
        closer=body["closer"],
    )


def _item_values(item: Item) -> dict[str, object]:
    return {
        "kind": str(item.right.kind),
        "person": item.right.person,
        "state": str(item.state),
        "outcome": str(item.outcome),
        "reviewers": item.reviewers,
        "opens": item.opens,
        "unused": item.unused,
        "at_source": bool(item.left_at),
        "body": item.body(),
    }


def _item(row: Any) -> Item:
    campaign, number, state, outcome, reviewers, opens, unused, version, body = row
    return Item(
        campaign=campaign,
        number=number,
        right=Right.from_json(body["right"]),
        evidence=body["evidence"],
        reviewers=reviewers,
        opens=opens,
        unused=unused,
        state=ItemState(state),
        outcome=Outcome(outcome),
        by=body["by"],
        at=moment(body["at"]),
        reason=body["reason"],
        instead_of=body["insteadOf"],
        changed=body["changed"],
        left_at=tuple(body["leftAt"]),
        undo=body["undo"],
        audit=body["audit"],
        version=version,
    )
