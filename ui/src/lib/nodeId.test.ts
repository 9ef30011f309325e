import { expect, test } from "vitest";
import { cardId, containerOf, nodeIdOf, parseNodeId } from "@/lib/nodeId";

const IDS = [
  ["dataset:kafka://localhost:9092:orders", { kind: "dataset", namespace: "kafka://localhost:9092", name: "orders" }],
  ["dataset:prod:orders", { kind: "dataset", namespace: "prod", name: "orders" }],
  ["job:shop:daily.revenue", { kind: "job", namespace: "shop", name: "daily.revenue" }],
  [
    "datasetField:kafka://b1:9092:orders:value.customer.email",
    { kind: "field", namespace: "kafka://b1:9092", name: "orders", field: "value.customer.email" },
  ],
  ["dataset:s3://bucket:path/to:part", { kind: "dataset", namespace: "s3://bucket", name: "path/to:part" }],
  [
    "dataset:~9:s3://lake:2024/03/01/orders.parquet",
    { kind: "dataset", namespace: "s3://lake", name: "2024/03/01/orders.parquet" },
  ],
  ["job:~7:airflow:2024", { kind: "job", namespace: "airflow", name: "2024" }],
  ["dataset:~1:x://y", { kind: "dataset", namespace: "x", name: "//y" }],
  ["datasetField:~3,2:a:b:💥c:d:e", { kind: "field", namespace: "a:b", name: "💥c", field: "d:e" }],
  [
    "datasetField:arn:aws:glue:eu:1:table/d/t:a:b",
    { kind: "field", namespace: "arn:aws:glue:eu:1", name: "table/d/t", field: "a:b" },
  ],
  ["dataset:~4:~3:a:b", { kind: "dataset", namespace: "~3:a", name: "b" }],
] as const;

test.each(IDS)("%s", (id, ref) => {
  expect(parseNodeId(id)).toEqual(ref);
  expect(nodeIdOf(ref)).toBe(id);
});

test.each(["", "orders", "dataset:", "dataset:prod", "run:1:2", "datasetField:prod:orders", "dataset:~9:a:b"])(
  "%s is no node",
  (text) => {
    expect(parseNodeId(text)).toBeNull();
  },
);

test("a field stands in its dataset", () => {
  expect(containerOf("datasetField:kafka://b1:9092:orders:value.x")).toBe("dataset:kafka://b1:9092:orders");
  expect(containerOf("job:shop:x")).toBe("job:shop:x");
});

test("a card's id is the node's, but for what a selector could not hold", () => {
  expect(cardId("dataset:kafka://b1:9092:orders")).toBe("dataset:kafka://b1:9092:orders");
  expect(cardId('job:shop:a "b" \\ c\n%22')).toBe("job:shop:a %22b%22 %5c c%0a%2522");
});
