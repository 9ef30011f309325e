import { expect, test, vi } from "vitest";
import { Canvas, DatasetPage, FirstRun, fetchEarly, LineageTab } from "@/parts";

test.each([
  ["/", [FirstRun]],
  ["/lineage", [Canvas]],
  ["/datasets/prod/orders/lineage", [DatasetPage, LineageTab, Canvas]],
  ["/views/shop.orders/lineage", [Canvas]],
])("the code of what %s shows is fetched before it is shown", (path, parts) => {
  const fetches = parts.map((each) => vi.spyOn(each, "fetch").mockResolvedValue(undefined));
  fetchEarly(path);
  for (const fetch of fetches) expect(fetch).toHaveBeenCalledOnce();
  vi.restoreAllMocks();
});
