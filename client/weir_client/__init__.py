"""Ask Weir from Python: governed SQL over topics, search, lineage, access requests.

    from weir_client import Weir
    frame = Weir().query("SELECT order_id, customer.email FROM orders").to_pandas()

Address and token come from WEIR_URL and WEIR_TOKEN where they are not given.
"""

from weir_client.client import Weir
from weir_client.datasets import Dataset, Hits
from weir_client.errors import (
    AnswerBroken,
    Conflict,
    InvalidInput,
    LimitExceeded,
    NotAllowed,
    NotFound,
    NotSignedIn,
    QueryCancelled,
    QueryFailed,
    SqlRefused,
    Unavailable,
    ValuesUnreadable,
    WeirError,
)
from weir_client.incomplete import IncompleteWarning, UnreadableWarning
from weir_client.query import Query

__version__ = "0.2.0"
__all__ = [
    "AnswerBroken",
    "Conflict",
    "Dataset",
    "Hits",
    "IncompleteWarning",
    "InvalidInput",
    "LimitExceeded",
    "NotAllowed",
    "NotFound",
    "NotSignedIn",
    "Query",
    "QueryCancelled",
    "QueryFailed",
    "SqlRefused",
    "Unavailable",
    "UnreadableWarning",
    "ValuesUnreadable",
    "Weir",
    "WeirError",
]
