"""The router of a feature."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Depends
from fastapi.routing import APIRoute

from api.edge import route_label
from api.edge.parameters import only_known

PREFIX = route_label.PREFIX


class FeatureRouter(APIRouter):
    """Routes of one feature below `/api/v1`, or below `base`.

    An answer is the model that a route function returns; keys that were not set are left out. A parameter that a route does not
    know is refused, except where `tolerant`: clients of other tools send what they like.
    """

    def __init__(self, prefix: str = "", *, tolerant: bool = False, base: str = PREFIX, **options: Any) -> None:
        options.setdefault("generate_unique_id_function", operation_id)
        if not tolerant:
            options["dependencies"] = [Depends(only_known), *options.get("dependencies", ())]
        super().__init__(prefix=base + prefix, **options)

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        options["response_model_exclude_unset"] = True
        super().add_api_route(path, endpoint, **options)


def operation_id(route: APIRoute) -> str:
    """`catalog_list_datasets`: the first tag and the name of the function, by which generated clients name their own."""
    tag = re.sub(r"\W", "_", str(route.tags[0])) if route.tags else ""
    return f"{tag}_{route.name}".strip("_")
