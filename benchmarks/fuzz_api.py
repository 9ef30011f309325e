"""The whole API under requests that schemathesis makes from its description: `weir test --bench fuzz_api [REQUESTS]`."""

from __future__ import annotations

import os
import subprocess
import sys


def main() -> int:
    requests = sys.argv[1] if len(sys.argv) > 1 else "50000"
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-s", "tests/unit/api/edge/test_fuzzed_api.py"],
        env={**os.environ, "WEIR_TEST_FUZZ_REQUESTS": requests},
        check=False,
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
