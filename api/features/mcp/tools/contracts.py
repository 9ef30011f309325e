"""The tool that shows whether what is promised of a dataset is kept."""

from __future__ import annotations

from api.features.mcp.calls import OwnRoutes, address
from api.features.mcp.tools.spec import DATASET, OFFSET, Tool, ToolAnswer, Values, find, only, page, without

_OF_CONTRACT = ("name", "title", "version", "status", "owner", "state")


async def _kept(api: OwnRoutes, values: Values) -> ToolAnswer:
    dataset = await find(api, values["dataset"])
    reference = f"{dataset.cluster}/{dataset.name}"
    listed = await api.need("/contracts", dataset=reference)
    contracts: list[dict[str, object]] = []
    rules: list[dict[str, object]] = []
    for each in listed["contracts"]:
        contract = await api.need("/contracts" + address(each["name"]))
        contracts.append({**only(contract, *_OF_CONTRACT), "notes": contract["notes"]})
        for promise in contract["promises"]:
            if promise["dataset"] == reference:
                contracts[-1] |= only(promise, "checkedAt", "withheld")
                rules += [{"contract": contract["name"], **without(rule, "path")} for rule in promise["rules"]]
    rules.sort(key=lambda rule: rule["state"] != "broken")
    shown, offset, total = page(rules, values)
    note = "" if contracts else "No contract of this dataset is declared, or you may not know of it."
    return ToolAnswer({"dataset": reference, "contracts": contracts, "rules": shown}, "rules", offset, total, note=note)


TOOLS = (
    Tool(
        "check_contract",
        "What is promised of a dataset, and whether scans see it kept.",
        (DATASET, OFFSET),
        _kept,
        others=("contract", "get_contract", "contract_check", "quality", "data_contract", "promises"),
    ),
)
