import { expect, test } from "vitest";
import { isConsumerGroup, jobTitle } from "@/lib/jobTitle";

test("what Spark appends to an application's name is left out, everything else stays", () => {
  expect(jobTitle("daily_revenue.execute_save_into_data_source_command")).toBe("daily_revenue");
  expect(jobTitle("clean_clicks.write_to_data_source_v2")).toBe("clean_clicks");
  expect(jobTitle("app.execute_insert_into_hadoop_fs_relation_command.out")).toBe("app");
  expect(jobTitle("shop.orders.nightly")).toBe("shop.orders.nightly");
  expect(jobTitle("execute_plan")).toBe("execute_plan");
});

test("a consumer group is told from a job", () => {
  expect(isConsumerGroup({ id: "job:kafka://k:1:g", jobType: "CONSUMER_GROUP" })).toBe(true);
  expect(isConsumerGroup({ id: "job:shop:mails", jobType: "SCRIPT" })).toBe(false);
  expect(isConsumerGroup(undefined)).toBe(false);
});
