"""presidio as the reader of free text and of the user's own recognizers; built once per Python worker.

No model is downloaded and no address is called: the NLP engine is a blank spaCy pipeline (it splits words, so that
context words count), or a model the user has installed, which then finds persons and places. presidio skips a pattern
that takes too long and only logs it; here that is noticed, and the field counts as not scanned.
"""

from __future__ import annotations

import logging
import os
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from scanners.adapters.presidio.custom_recognizers import CustomRecognizers, sieve
from scanners.detectors.core.dialects import encodable
from scanners.model import Recognizer

_THRESHOLD = 0.6
_LEFT_OUT = frozenset(
    {
        # Ours are quicker and know regions; presidio's e-mail recognizer fetches a list of suffixes from the web.
        "EmailRecognizer",
        "PhoneRecognizer",
        "UrlRecognizer",
        "DateRecognizer",
        "IpRecognizer",
        "CryptoRecognizer",
        "MacAddressRecognizer",
        "UuidRecognizer",
        "SpacyRecognizer",
    }
)
_MODEL_ENTITIES = ("PERSON", "LOCATION")


class _TimeOuts(logging.Handler):
    """Counts presidio's warnings about patterns that took too long, for each thread; swallows them, since they may quote
    the text. All analyzers of a process share presidio's one logger."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._local = threading.local()

    @property
    def count(self) -> int:
        """Of this thread."""
        return getattr(self._local, "count", 0)

    def emit(self, record: logging.LogRecord) -> None:
        if "timed out" in str(record.msg):
            self._local.count = self.count + 1


_TIME_OUTS = _TimeOuts()


class PresidioAnalyzer:
    """`TextAnalyzer`: free text by presidio, the user's recognizers by `CustomRecognizers`, which take presidio's fields.

    `model` is the spaCy model that finds persons and places, None where none is installed.
    """

    def __init__(self, recognizers: Sequence[Recognizer] = (), regex_seconds: float = 2.0) -> None:
        # presidio reads it when it is imported, in whole seconds.
        os.environ.setdefault("REGEX_TIMEOUT_SECONDS", str(max(1, round(regex_seconds))))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
        logger = logging.getLogger("presidio-analyzer")
        logger.handlers = [_TIME_OUTS]
        logger.propagate = False
        logger.setLevel(logging.WARNING)
        engine, self.model = _nlp_engine()
        registry = RecognizerRegistry(supported_languages=["en"])
        registry.load_predefined_recognizers(languages=["en"])
        registry.recognizers = [r for r in registry.recognizers if type(r).__name__ not in _LEFT_OUT]
        if self.model is not None:
            from presidio_analyzer.predefined_recognizers import SpacyRecognizer

            registry.add_recognizer(SpacyRecognizer(supported_entities=list(_MODEL_ENTITIES)))
        self._engine = AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=["en"])
        self._worth_reading = _sieve(registry.recognizers)
        self._custom = CustomRecognizers(recognizers, regex_seconds)

    def prose(self, texts: Sequence[str], names: tuple[str, ...]) -> tuple[dict[str, set[int]], str | None]:
        matches: dict[str, set[int]] = {}
        before = _TIME_OUTS.count
        texts = encodable(texts)
        # Context words count in the text only. A field's name is not such a word: `license.name` holds no driver's licence.
        for index in self._worth_reading(texts):
            for result in self._engine.analyze(texts[index], language="en", score_threshold=_THRESHOLD):
                name = (result.recognition_metadata or {}).get("recognizer_name", "presidio")
                if name == "SpacyRecognizer" and self.model is not None:
                    name = self.model  # which model it was is what a reader of the evidence asks
                matches.setdefault(f"{result.entity_type}|presidio:{name}", set()).add(index)
        return matches, "recognizer_timed_out" if _TIME_OUTS.count > before else None

    def custom(self, texts: Sequence[str], names: tuple[str, ...]) -> tuple[dict[str, set[int]], str | None]:
        return self._custom.find(texts)


def _sieve(recognizers: Sequence[Any]) -> Callable[[Sequence[str]], Sequence[int]]:
    """Numbers of the texts in which a recognizer may find something.

    presidio takes a third of a millisecond for a text even when no pattern matches, as mostly. All texts are to be read
    when a recognizer goes by more than patterns, as those of a model do.
    """
    from presidio_analyzer import PatternRecognizer

    by_pattern = all(isinstance(r, PatternRecognizer) and r.patterns for r in recognizers)
    expressions = [p.regex for r in recognizers for p in r.patterns] if by_pattern else []
    return sieve(expressions) if expressions else _all


def _all(texts: Sequence[str]) -> Sequence[int]:
    return range(len(texts))


def _nlp_engine() -> tuple[Any, str | None]:
    """A spaCy engine and the name of the installed model it uses, None for the blank one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import spacy
        from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine
    installed = [
        m for m in ("en_core_web_lg", "en_core_web_md", "en_core_web_sm", "en_core_web_trf") if m in _models(spacy)
    ]
    model = installed[0] if installed else None

    class Engine(SpacyNlpEngine):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(ner_model_configuration=NerModelConfiguration(labels_to_ignore=["O"]))
            self.nlp = {"en": spacy.load(model) if model else spacy.blank("en")}

    return Engine(), model


def _models(spacy: Any) -> list[str]:
    return list(spacy.util.get_installed_models())
