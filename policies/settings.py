"""Settings of the policies room."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator


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
    visibility: Literal["open", "closed"] = Field(
        default="open",
        description="What people know of where no document of kind Visibility decides: open: of every dataset; closed: of"
        " what they own or may read.",
    )
    default_grant_days: int = Field(
        default=7, ge=1, le=3650, description="How long access lasts that a request asks for without an end."
    )
    max_grant_days: int = Field(
        default=365, ge=1, le=3650, description="Longest access a request can ask for where no workflow sets another."
    )
    request_expires_days: int = Field(
        default=14,
        ge=1,
        le=365,
        description="Days after which an undecided request expires where no workflow sets another.",
    )
    grant_warning_hours: int = Field(
        default=24, ge=1, le=720, description="How long before its end a grant is announced as expiring."
    )
    escalate_after_hours: float = Field(
        default=48,
        ge=0,
        le=8760,
        description="A request that nobody decided for so long is brought to delegates, after twice that to those who manage;"
        " 0 = never.",
    )
    escalated_managers_decide: bool = Field(
        default=False,
        description="Whether those who manage may also decide a request that was brought to them so; never a stage of the"
        " owners of a topic that a view comes from.",
    )
    ticket_pattern: str | None = Field(
        default=None,
        max_length=200,
        description="Regular expression that the ticket id of an access request must match as a whole: `[A-Z]+-[0-9]+`.",
    )
    ticket_required: bool = Field(default=False, description="Whether an access request needs a ticket id.")
    token_days: int | None = Field(
        default=None,
        ge=1,
        description="Days a new API token is valid when none are asked for; without an end when absent.",
    )
    service_token_days: int = Field(
        default=365, ge=1, le=3650, description="Longest life of a token of a service account, which always has an end."
    )

    agent_token_days: int = Field(
        default=30, ge=1, le=365, description="Longest life of a token of an agent, which always has an end."
    )

    rights_second_person_above: int = Field(
        default=100,
        ge=0,
        description="A plan of rights at the brokers with more changes than this is applied, or undone, by two persons.",
    )
    masked_copy_grace_hours: float = Field(
        default=24,
        ge=0,
        le=8760,
        description="How long a masked copy that was made for consumers stays after nobody needs it any more.",
    )

    @field_validator("ticket_pattern")
    @classmethod
    def _is_a_pattern(cls, pattern: str | None) -> str | None:
        try:
            re.compile(pattern or "")
        except (re.error, OverflowError, RecursionError) as error:
            raise ValueError(f"is not a regular expression ({error})") from None
        return pattern

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


class NotifySettings(BaseModel):
    """Notifications to people, by mail and by their chat service."""

    model_config = ConfigDict(extra="forbid")

    smtp_host: str | None = Field(default=None, description="Host of the mail server; without it no mail is sent.")
    smtp_port: int = Field(default=587, ge=1, le=65535, description="Its port: 587 for STARTTLS, 465 for TLS.")
    smtp_security: Literal["starttls", "tls", "none"] = Field(
        default="starttls", description="How the connection is protected; a password needs TLS or this machine itself."
    )
    smtp_ca: Path | None = Field(
        default=None, description="File of the authorities behind the mail server's certificate, PEM."
    )
    smtp_user: str | None = Field(default=None, description="User at the mail server; no sign-in when absent.")
    smtp_password: str | None = Field(
        default=None,
        pattern=r"^(env|file):\S+$",
        description="Where the password is: `env:WEIR_SECRET_SMTP`, or `file:smtp-password` in the folder of secrets.",
    )
    smtp_timeout_s: float = Field(default=20.0, gt=0, le=120, description="How long the mail server may be silent.")
    sender: str = Field(
        default="weir@localhost",
        pattern=r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+$",
        description="Address that mail comes from.",
    )
    chat: bool = Field(
        default=False, description="Whether people may be notified by a Slack or Teams webhook of their own."
    )
    chat_hosts: list[str] = Field(
        default=["hooks.slack.com", "*.webhook.office.com", "*.logic.azure.com", "*.api.powerplatform.com"],
        description="Hosts of such webhooks, `*` for any text. A host inside your network must also be in"
        " `WEIR_EVENTS__WEBHOOK_ALLOWED_HOSTS`.",
    )
    person_per_hour: int = Field(
        default=60,
        ge=1,
        le=100_000,
        description="Messages to one person by one channel in an hour; more become a digest.",
    )
    messages_per_minute: int = Field(
        default=300, ge=1, le=100_000, description="Messages of all people in a minute, by each channel."
    )
    longest_pause_s: float = Field(default=900.0, gt=0, description="Longest pause between attempts, in seconds.")
    give_up_hours: float = Field(
        default=48.0,
        gt=0,
        description="A notice that could not be sent for so long is given up, and counted as failed.",
    )
    keep_days: float = Field(default=30.0, gt=0, description="Notices are kept for so many days after they ended.")

    @property
    def on(self) -> bool:
        """Whether any channel is set up."""
        return self.smtp_host is not None or self.chat
