// Records of a topic, page by page, as the user may see them.
import { exactAnswer, weir } from "@/api/client";
import type { Records } from "@/api/types";

export type Part = "key" | "value" | "headers";

export interface RecordsAsked {
  order: "newest" | "oldest";
  partition: number | null;
  offset: number | null;
  time: string | null;
  cursor: string | null;
  text: string;
  in: Part | null;
  key: string | null;
  field: string[];
  limit: number;
  whole?: boolean;
}

/** Leaves out what is not asked for. */
export function recordsQuery(asked: RecordsAsked) {
  return {
    order: asked.order,
    limit: asked.limit,
    ...(asked.partition === null ? {} : { partition: asked.partition }),
    ...(asked.offset === null ? {} : { offset: asked.offset }),
    ...(asked.time === null ? {} : { time: asked.time }),
    ...(asked.cursor === null ? {} : { cursor: asked.cursor }),
    ...(asked.text === "" ? {} : { text: asked.text }),
    ...(asked.in === null ? {} : { in: [asked.in] }),
    ...(asked.key === null ? {} : { key: asked.key }),
    ...(asked.field.length === 0 ? {} : { field: asked.field }),
    ...(asked.whole ? { whole: true } : {}),
  };
}

export function fetchRecords(place: string, name: string, asked: RecordsAsked, signal?: AbortSignal) {
  const params = { path: { namespace: place, name }, query: recordsQuery(asked) };
  return exactAnswer<Records>(
    weir.GET("/api/v1/datasets/{namespace}/{name}/records", {
      params,
      parseAs: "text",
      ...(signal ? { signal } : {}),
    }),
  );
}

/** The newest records of all partitions, whatever they hold. */
export function newestRecords(limit: number): RecordsAsked {
  return {
    order: "newest",
    partition: null,
    offset: null,
    time: null,
    cursor: null,
    text: "",
    in: null,
    key: null,
    field: [],
    limit,
  };
}

/** Whether a page may end before it is full: it reads so many offsets, and few of them fit. */
export function searches(asked: RecordsAsked): boolean {
  return asked.text !== "" || asked.key !== null || asked.field.length > 0;
}
