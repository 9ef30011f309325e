"""`python -m api.processes.openapi`: the OpenAPI document of this checkout on stdout. No server is needed."""

from __future__ import annotations

import json
import sys

from api.app import create_app
from api.bootstrap import offline


def main() -> None:
    json.dump(create_app(offline()).openapi(), sys.stdout)


if __name__ == "__main__":
    main()
