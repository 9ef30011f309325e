"""Rows of a view with a key keep the order of their records: of two of one key in a batch, the newer is written last. Pure.

A join that Spark computes by a shuffle puts rows in the order of the join's columns. One whose table is sent to every task does
not move the rows of the stream, so each joined table of such a view is hinted to be sent."""

from __future__ import annotations

from sqlglot import exp

from views.shape.roles import Roles


def keep_order(reading: Roles) -> None:
    """Hint the tables that streams are joined with. Changes the tree."""
    for each in reading.selects:
        joined = [
            relation
            for relation in each.relations[1:]
            if relation.join is not None
            and (relation.table is not None or relation.query is not None)
            and not any(relation is stream for stream in each.streams)
        ]
        if joined:
            sent = [
                exp.Anonymous(this="BROADCAST", expressions=[exp.to_identifier(one.alias, quoted=True)])
                for one in joined
            ]
            each.select.set("hint", exp.Hint(expressions=sent))
