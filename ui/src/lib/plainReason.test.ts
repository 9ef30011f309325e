import { expect, test } from "vitest";
import { plainReason } from "@/lib/plainReason";

test.each([
  ["MASK_HASH by mask-email: tag EMAIL_ADDRESS.", "Hashed by mask-email: e-mail address."],
  ["MASK by mask-person: tag PERSON.", "Replaced by mask-person: name of a person."],
  ["MASK_HASH of mask-email (tag EMAIL_ADDRESS) is lifted.", "Mask “hashed” of mask-email (e-mail address) is lifted."],
  [
    "MASK_NULL by UNSCANNED: neither scanned nor declared.",
    "Removed by the rule for unscanned fields: neither scanned nor declared.",
  ],
  ["CUSTOM by mask-url: path value.url of prod/clicks.", "Own expression by mask-url: path value.url of prod/clicks."],
  ["Role analyst reads tag domain.sales.", "Role analyst reads tag domain.sales."],
  [
    "value.client.account: MASK_HASH by mask-email (EMAIL_ADDRESS: 100% of 502 values, suggested)",
    "value.client.account: hashed by mask-email (e-mail address: 100% of 502 values, suggested)",
  ],
  ["Owner of prod/MASK of.", "Owner of prod/MASK of."],
])("%s", (reason, plain) => expect(plainReason(reason)).toBe(plain));
