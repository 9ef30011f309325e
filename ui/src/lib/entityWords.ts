// Kinds of personal data as people name them. The server's list is catalog/entity_words.py; a test compares the two.

const WORDS: Readonly<Record<string, string>> = {
  PII: "personal data",
  ADVERTISING_ID: "advertising ID",
  API_KEY: "API key",
  BIOMETRIC_ID: "biometric ID",
  CREDIT_CARD: "card number",
  CRYPTO: "crypto wallet",
  DATE_OF_BIRTH: "date of birth",
  DATE_TIME: "date or time",
  DEVICE_ID: "device ID",
  DRIVER_LICENSE: "driver's license",
  EMAIL_ADDRESS: "e-mail address",
  ETHNICITY: "ethnicity",
  GENDER: "gender",
  GEO_COORDINATES: "position",
  HEALTH: "health data",
  IBAN_CODE: "bank account",
  IP_ADDRESS: "IP address",
  LICENSE_PLATE: "license plate",
  LOCATION: "address",
  MAC_ADDRESS: "MAC address",
  NRP: "nationality or belief",
  PASSPORT: "passport number",
  PASSWORD: "password",
  PERSON: "name of a person",
  PHONE_NUMBER: "phone number",
  POLITICAL_OPINION: "political opinion",
  RELIGION: "religion",
  SECRET: "secret",
  SEXUAL_ORIENTATION: "sexual orientation",
  STREET_ADDRESS: "street address",
  TOKEN: "access token",
  TRADE_UNION_MEMBERSHIP: "trade union membership",
  URL: "web address",
  US_SSN: "US social security number",
  USERNAME: "user name",
  UUID: "UUID",
  VIN: "vehicle number",
};

/** Parts of names that are words also after the letters of a country; other parts are abbreviations there: NL BSN. */
const ORDINARY = new Set([
  "ACCOUNT",
  "ADDRESS",
  "BANK",
  "CARD",
  "CIVIL",
  "CODE",
  "COMPANY",
  "DRIVER",
  "FISCAL",
  "IDENTITY",
  "LICENSE",
  "MEDICAL",
  "NATIONAL",
  "NUMBER",
  "PASSPORT",
  "PERSONAL",
  "REGISTRATION",
  "SECURITY",
  "SOCIAL",
  "TAX",
  "VEHICLE",
  "VOTER",
]);

const NAME = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

/**
 * `EMAIL_ADDRESS` -> "e-mail address"; a name without words in the list is written as words: `LOYALTY_NUMBER` -> "loyalty number".
 * What does not look like the name of an entity stays as it is.
 */
export function entityWords(entity: string): string {
  if (Object.hasOwn(WORDS, entity)) return WORDS[entity] as string;
  if (!NAME.test(entity)) return entity;
  const [first = "", ...rest] = entity.split("_");
  if (first.length === 2)
    return [first, ...rest.map((part) => (ORDINARY.has(part) ? part.toLowerCase() : part))].join(" ");
  return [first, ...rest].map((part) => (part === "ID" ? part : part.toLowerCase())).join(" ");
}

/** Kinds to choose from, by their words: those of the list, and others that are known here. */
export const kindsToChoose = (others: readonly string[] = []): string[] =>
  [...new Set([...Object.keys(WORDS).filter((name) => name !== "PII"), ...others])].sort((a, b) =>
    entityWords(a).localeCompare(entityWords(b)),
  );

/** The entity that a person means by its words or by its name; other texts stay as they are. */
export function entityNamed(text: string, known: readonly string[]): string {
  const wanted = text.trim();
  const by = (name: string) => entityWords(name).toLowerCase() === wanted.toLowerCase();
  return known.find(by) ?? Object.keys(WORDS).find(by) ?? wanted;
}
