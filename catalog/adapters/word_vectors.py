"""Meaning as numbers: static word vectors of a small model whose weights are in the package `wordllama`.

256 numbers a token, 32,000 tokens; a text is the mean of its tokens. Nothing is downloaded: only the two files of the
package are read, by `tokenizers` and `safetensors`.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_TOKENS = "tokenizers/l2_supercat_tokenizer_config.json"
_WEIGHTS = "weights/l2_supercat_256.safetensors"
_AT_ONCE = 5000


class WordVectors:
    """See `catalog.ports.Meaning`. Loaded when first used, in 0.3 s and 40 MB of memory."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def vectors(self, texts: Sequence[str]) -> Any:
        """One row of length 1 for each text, float32, shape (len(texts), 256); zeros for a text without a known word."""
        import numpy as np

        tokenizer, weights = self._model()
        rows = np.zeros((len(texts), weights.shape[1]), np.float32)
        for start in range(0, len(texts), _AT_ONCE):
            encoded = tokenizer.encode_batch(list(texts[start : start + _AT_ONCE]), add_special_tokens=False)
            for number, each in enumerate(encoded, start):
                if each.ids:
                    rows[number] = weights[each.ids].mean(0)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.maximum(lengths, 1e-9)

    def _model(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                from safetensors.numpy import load_file
                from tokenizers import Tokenizer

                spec = find_spec("wordllama")
                if spec is None or spec.origin is None:
                    raise ModuleNotFoundError("the package wordllama is not installed")
                root = Path(spec.origin).parent
                weights = load_file(root / _WEIGHTS)["embedding.weight"].astype("float32")
                self._loaded = Tokenizer.from_file(str(root / _TOKENS)), weights
            return self._loaded
