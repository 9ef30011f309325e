"""The declared kind Contract: its spec is a whole ODCS document."""

from __future__ import annotations

from pydantic import RootModel, model_validator

from catalog.contracts.contradictions import require_consistent
from catalog.contracts.odcs import check_document
from catalog.contracts.reading import read_contract
from catalog.errors import InvalidInput

KIND = "Contract"


class ContractSpec(RootModel[dict[str, object]]):
    """An ODCS document (3.0 to 3.2) whose rules can hold together. What ODCS has no word for is in
    `customProperties`."""

    @model_validator(mode="after")
    def _document(self) -> ContractSpec:
        try:
            check_document(self.root)
            require_consistent(read_contract(self.root))
        except InvalidInput as error:
            raise ValueError(error.message) from None
        return self
