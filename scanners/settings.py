"""Settings of the scanners; `api/config/settings.py` reads them from the environment (`WEIR_SCANNERS__...`)."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from catalog.dead_letters import LONGEST, NAMES


class ScannerSettings(BaseModel):
    """What may be tuned; the defaults suit a laptop and a small cluster alike."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    topics_per_job: int = Field(default=16, ge=1)
    """Topics read by one Spark job. Fewer show the first result sooner, more spend less on starting tasks."""

    tasks_per_job: int = Field(default=4, ge=1)
    """Spark tasks that read one job's sampled windows; about twice the cores. A full scan has a task a partition."""

    windows: int = Field(default=4, ge=2)
    """Windows a partition of a stratified sample: the head, the tail, and random ones between."""

    reread_days: float = Field(default=7.0, ge=0)
    """Days after which a scan reads a topic again although nothing changed, since compaction removes records without a new
    offset. 0: every scan reads."""

    default_exclude: str = r"^_.*"
    """Topics a pattern never matches (a topic named in full is always scanned)."""

    phone_regions: list[str] = Field(
        default_factory=lambda: [
            "US",
            "GB",
            "DE",
            "FR",
            "ES",
            "IT",
            "NL",
            "IN",
            "BR",
            "AU",
            "JP",
            "MX",
            "PL",
            "CH",
            "AT",
        ]
    )
    """Regions (ISO 3166 alpha-2) whose national way of writing phone numbers is known besides +country numbers."""

    detect: bool = True
    """Look for personal data while scanning."""

    free_text_limit: int = Field(default=150, ge=0)
    """Distinct free texts a field and task that presidio reads; it takes about a millisecond for each."""

    regex_seconds: float = Field(default=2.0, gt=0)
    """How long one pattern of a user's recognizer may work on one value before the field counts as unscanned."""

    dead_letter_topic: str = Field(default="_weir.dead-letters", pattern=NAMES, max_length=LONGEST)
    """Where a scan that is asked to sends records it cannot decode, unless it names another topic. Its name states that it
    is one: dead, dlq, reject, error or unread."""

    registry_seconds: float = Field(default=10.0, gt=0)
    """How long the schema registry may take to answer one question."""

    registry_attempts: int = Field(default=3, ge=1)
    """How often a question to the schema registry is asked before it is reported as failed."""

    kafka_seconds: float = Field(default=15.0, gt=0)
    """How long a broker may take to answer."""

    executor_seconds: float = Field(default=50.0, ge=1)
    """How long a scan, or a look at Spark, waits for an executor to take a task before it reports that there are none. More where
    executors are started on demand."""
