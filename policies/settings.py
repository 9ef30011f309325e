"""Settings of the policies room."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field


class OidcSettings(BaseModel):
    """Sign-in by bearer tokens of an OpenID Connect issuer, beside Weir's own."""

    model_config = ConfigDict(extra="forbid")

    issuer: str | None = Field(
        default=None, pattern=r"^https?://\S+$", description="Address of the issuer, exactly as its tokens name it."
    )
    audience: str | None = Field(default=None, description="The audience (`aud`) a token must be made for.")
    user_claim: str = Field(default="preferred_username", description="Claim that names the user.")
    groups_claim: str = Field(default="groups", description="Claim that lists the user's groups.")
    ca: Path | None = Field(default=None, description="File of the authorities behind the issuer's certificate, PEM.")


class SignInSettings(BaseModel):
    """Sessions of people who sign in by a declared `IdentityProvider`."""

    model_config = ConfigDict(extra="forbid")

    idle_minutes: int = Field(
        default=120, ge=1, le=43_200, description="A browser's session ends when it was not used for so long."
    )
    hours: int = Field(default=24, ge=1, le=720, description="A browser's session ends after so long, used or not.")
    cli_idle_days: int = Field(
        default=14, ge=1, le=365, description="A command line's session ends when it was not used for so long."
    )
    cli_days: int = Field(
        default=90, ge=1, le=365, description="A command line's session ends after so long, used or not."
    )
    rights_seconds: int = Field(
        default=45,
        ge=2,
        le=3600,
        description="Rights from a provider count for so long after it confirmed them; a session that is used asks it"
        " again at half of that.",
    )


class PolicySettings(BaseModel):
    """Decisions, access requests, tokens, audit."""

    model_config = ConfigDict(extra="forbid")

    unscanned_is_sensitive: bool = Field(
        default=True,
        description="Fields that no scan has looked at and no declaration covers are hidden as personal data.",
    )
    default_grant_days: int = Field(
        default=7, ge=1, le=3650, description="How long access lasts that a request asks for without an end."
    )
    max_grant_days: int = Field(
        default=365, ge=1, le=3650, description="Longest access a request can ask for where no workflow says so."
    )
    request_expires_days: int = Field(
        default=14, ge=1, le=365, description="Days after which an undecided request expires where no workflow says so."
    )
    grant_warning_hours: int = Field(
        default=24, ge=1, le=720, description="How long before its end a grant is announced as expiring."
    )
    token_days: int | None = Field(
        default=None,
        ge=1,
        description="Days a new API token is valid when none are asked for; without an end when absent.",
    )
    service_token_days: int = Field(
        default=365, ge=1, le=3650, description="Longest life of a token of a service account, which always has an end."
    )
    publish_audit_head: bool = Field(
        default=True,
        description="Also publish the head of the audit chain to a Kafka topic, so that a cut tail is found.",
    )
    audit_segment_entries: int = Field(
        default=100_000,
        ge=1000,
        le=10_000_000,
        description="A segment of the audit is sealed when it has so many entries.",
    )
    audit_segment_days: int = Field(
        default=30,
        ge=1,
        le=3650,
        description="A segment of the audit is sealed when its first entry is so many days old.",
    )
    audit_keep_days: int | None = Field(
        default=None,
        ge=1,
        le=36_500,
        description="Entries of the audit are removed by whole sealed segments once all of a segment are older than so many"
        " days; nothing is removed when absent.",
    )
    audit_export_folder: Path | None = Field(
        default=None,
        description="Folder that a segment is exported to, as a signed file, before its entries are removed.",
    )
    audit_trusted_keys: list[str] = Field(
        default=[],
        description="Public keys, beside this Weir's own, whose seals of the audit count: of other hosts, or before"
        " a change of the key.",
    )
    audit_ship_to: str | None = Field(
        default=None,
        pattern=r"^[^/\s]+/[^/\s]+$",
        description="Topic that the audit is shipped to as CloudEvents, written CLUSTER/TOPIC with a declared cluster.",
    )
    audit_head_topic: str = Field(default="_weir.audit.head", description="The topic of the published heads.")
