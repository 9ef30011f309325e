"""What one scan is to do, and with what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from catalog.model import ScanWindow
from scanners.model import ClusterConnection, Recognizer, SampleRequest, TopicFormat
from scanners.ports import Cancelled, DeadLetters, OffsetLookup, Sampler, SchemaRegistry
from scanners.settings import ScannerSettings

OnFailure = Callable[[str, Exception], None]
"""Takes the name of a topic that could not be scanned, and why."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What every scan of an instance uses.

    clock     seconds since 1970
    letters   None where no dead letters are sent
    salts     a new text for each job, which keys the hashes behind its distinct estimates
    """

    sampler: Sampler
    offsets: OffsetLookup
    registry: SchemaRegistry
    settings: ScannerSettings
    clock: Callable[[], float]
    letters: DeadLetters | None
    salts: Callable[[], str]


@dataclass(frozen=True, slots=True)
class ScanOrder:
    """What one scan is to do; see `scanners.scan.service.Scanner.scan` for the fields."""

    cluster: ClusterConnection
    request: SampleRequest
    recognizers: Sequence[Recognizer]
    cancelled: Cancelled
    on_failure: OnFailure
    last_windows: Mapping[str, ScanWindow]
    formats: Mapping[str, TopicFormat]
    declared: Mapping[str, str]
    last_bases: Mapping[str, str]
    resume: str
