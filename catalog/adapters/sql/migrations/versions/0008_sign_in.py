"""Sessions of people who signed in by a provider, their accounts, and command lines that wait to be let in."""

import sqlalchemy as sa
from alembic import op

from catalog.adapters.sql.types import AnyText, Instant, Json

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sign_in_sessions",
        sa.Column("id", AnyText(), nullable=False),
        sa.Column("digest", AnyText(), nullable=False),
        sa.Column("kind", AnyText(), nullable=False),
        sa.Column("user_name", AnyText(), nullable=False),
        sa.Column("provider", AnyText(), nullable=False),
        sa.Column("issuer", AnyText(), nullable=False),
        sa.Column("subject", AnyText(), nullable=False),
        sa.Column("provider_session", AnyText(), nullable=True),
        sa.Column("label", AnyText(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("used_at", Instant(), nullable=False),
        sa.Column("ends_at", Instant(), nullable=False),
        sa.Column("confirmed_at", Instant(), nullable=False),
        sa.Column("claims", Json, nullable=False),
        sa.Column("sealed", AnyText(), nullable=True),
        sa.Column("ended_at", Instant(), nullable=True),
        sa.Column("ended_because", AnyText(), nullable=False),
        sa.Column("claimed_until", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_sign_in_sessions"),
        sa.UniqueConstraint("digest", name="uq_sign_in_sessions_digest"),
    )
    op.create_index("ix_sign_in_sessions_user_name", "sign_in_sessions", ["user_name"])
    op.create_index("ix_sign_in_sessions_subject", "sign_in_sessions", ["provider", "subject"])
    op.create_table(
        "sign_in_marks",
        sa.Column("mark", AnyText(), nullable=False),
        sa.Column("kept_until", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("mark", name="pk_sign_in_marks"),
    )
    op.create_table(
        "linked_accounts",
        sa.Column("issuer", AnyText(), nullable=False),
        sa.Column("subject", AnyText(), nullable=False),
        sa.Column("user_name", AnyText(), nullable=False),
        sa.Column("linked_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("issuer", "subject", name="pk_linked_accounts"),
        sa.UniqueConstraint("user_name", name="uq_linked_accounts_user_name"),
    )
    op.create_table(
        "device_logins",
        sa.Column("digest", AnyText(), nullable=False),
        sa.Column("code", AnyText(), nullable=False),
        sa.Column("label", AnyText(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.Column("session_id", AnyText(), nullable=True),
        sa.Column("refused", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_device_logins"),
        sa.UniqueConstraint("code", name="uq_device_logins_code"),
    )


def downgrade() -> None:
    for table in ("device_logins", "linked_accounts", "sign_in_marks", "sign_in_sessions"):
        op.drop_table(table)
