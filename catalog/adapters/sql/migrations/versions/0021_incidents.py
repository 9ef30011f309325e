"""Incidents with their history, and how far checks of new records came."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant, Json

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "incidents",
        sa.Column("id", AnyText(), nullable=False),
        sa.Column("namespace", AnyText(), nullable=False),
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("cause", AnyText(), nullable=False),
        sa.Column("source", AnyText(), nullable=False),
        sa.Column("rule", AnyText(), nullable=False),
        sa.Column("path", AnyText(), nullable=True),
        sa.Column("title", AnyText(), nullable=False),
        sa.Column("reason", AnyText(), nullable=False),
        sa.Column("state", AnyText(), nullable=False),
        sa.Column("assignee", AnyText(), nullable=True),
        sa.Column("opened_at", Instant(), nullable=False),
        sa.Column("seen_at", Instant(), nullable=False),
        sa.Column("fault_ended_at", Instant(), nullable=True),
        sa.Column("resolved_at", Instant(), nullable=True),
        sa.Column("resolution", AnyText(), nullable=True),
        sa.Column("resolved_by", AnyText(), nullable=True),
        sa.Column("checks", sa.Integer(), nullable=False),
        sa.Column("figures", Json, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_incidents"),
    )
    op.create_index("ix_incidents_namespace_name", "incidents", ["namespace", "name"])
    op.create_index("ix_incidents_state", "incidents", ["state"])
    op.create_table(
        "incident_entries",
        sa.Column("id", AnyText(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("incident", AnyText(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("kind", AnyText(), nullable=False),
        sa.Column("by", AnyText(), nullable=True),
        sa.Column("text", AnyText(), nullable=False),
        sa.Column("event", AnyText(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_incident_entries"),
    )
    op.create_index("ix_incident_entries_incident", "incident_entries", ["incident"])
    op.create_table(
        "check_positions",
        sa.Column("namespace", AnyText(), nullable=False),
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("position", Json, nullable=False),
        sa.PrimaryKeyConstraint("namespace", "name", name="pk_check_positions"),
    )


def downgrade() -> None:
    op.drop_table("check_positions")
    op.drop_table("incident_entries")
    op.drop_table("incidents")
