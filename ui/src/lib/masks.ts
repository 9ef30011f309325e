// Masks by their names, and the parameters that some of them take.

export const MASKS = [
  "MASK",
  "MASK_SHOW_LAST_4",
  "MASK_SHOW_FIRST_4",
  "MASK_HASH",
  "MASK_NULL",
  "MASK_DATE_SHOW_YEAR",
  "EMAIL_DOMAIN",
  "TOKEN",
  "TRUNCATE_IP",
  "TRUNCATE_GEO",
  "GENERALIZE",
  "DROP",
  "CUSTOM",
];

/** mask -> its parameter, and what is written for it. */
export const MASK_PARAMETER: Record<string, { name: string; number: boolean; hint: string }> = {
  MASK_SHOW_FIRST_4: { name: "show", number: true, hint: "how many characters stay; 4" },
  MASK_SHOW_LAST_4: { name: "show", number: true, hint: "how many characters stay; 4" },
  GENERALIZE: { name: "step", number: true, hint: "width of the steps, as in 10" },
  TRUNCATE_GEO: { name: "decimals", number: true, hint: "decimals that stay, as in 1" },
  TOKEN: { name: "scope", number: false, hint: "values of one scope join across topics" },
  MASK_HASH: { name: "scope", number: false, hint: "values of one scope join across topics" },
};
