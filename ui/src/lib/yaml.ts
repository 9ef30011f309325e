// JSON values as YAML that reads well. Only for showing: what is sent back is JSON, which is YAML too.

const PLAIN = /^[A-Za-z_][\w ./-]*$/;
const WORDS = /^(true|false|null|yes|no|on|off|y|n)$/i;

function scalar(value: unknown): string {
  if (typeof value === "string")
    return PLAIN.test(value) && !WORDS.test(value) && !value.endsWith(" ") ? value : JSON.stringify(value);
  return JSON.stringify(value) ?? "null";
}

const isBlock = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0;

export function toYaml(value: unknown, indent = ""): string {
  if (!isBlock(value)) return `${indent}${scalar(value)}\n`;
  if (Array.isArray(value)) {
    return value
      .map((item) => {
        if (!isBlock(item)) return `${indent}- ${scalar(item)}\n`;
        return `${indent}- ${toYaml(item, `${indent}  `).slice(indent.length + 2)}`;
      })
      .join("");
  }
  return Object.entries(value)
    .map(([key, inner]) =>
      isBlock(inner)
        ? `${indent}${scalar(key)}:\n${toYaml(inner, `${indent}  `)}`
        : `${indent}${scalar(key)}: ${scalar(inner)}\n`,
    )
    .join("");
}
