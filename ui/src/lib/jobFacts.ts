// What producers report of a job, by names that people read. Other names are shown as they were reported.

const NAMES: Record<string, string> = {
  type: "Type",
  processingType: "Runs as",
  integration: "Integration",
  url: "Address",
  repoUrl: "Repository",
  path: "Path",
  version: "Version",
  tag: "Tag",
  branch: "Branch",
};

export const factName = (name: string): string => (Object.hasOwn(NAMES, name) && NAMES[name]) || name;

/** The capitals of OpenLineage as a word: BATCH -> "Batch"; short ones such as SQL and DBT stay. */
export const factText = (value: string): string =>
  /^[A-Z]{4,}$/.test(value) ? value.charAt(0) + value.slice(1).toLowerCase() : value;
