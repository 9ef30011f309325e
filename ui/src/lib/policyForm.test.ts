import { describe, expect, it } from "vitest";
import type { KnownMask } from "@/api/types";
import {
  formFits,
  NEW_POLICY,
  peopleFromText,
  peopleText,
  policyDocument,
  policyForm,
  policyProblems,
} from "@/lib/policyForm";

const parameter = (name: string, number = true) => ({
  name,
  number,
  default: number ? 1 : "",
  least: 0,
  most: 9,
  hint: "",
});
const MASKS = [
  { name: "MASK_SHOW_LAST_4", parameters: [parameter("show")] },
  { name: "GENERALIZE", parameters: [parameter("step")] },
  { name: "TOKEN", parameters: [parameter("scope", false), parameter("keyVersion")] },
  { name: "CUSTOM", parameters: [] },
] as unknown as KnownMask[];
const form = (more: Partial<typeof NEW_POLICY>) => ({ ...NEW_POLICY, name: "p", tags: "EMAIL_ADDRESS", ...more });
const document = (spec: object) => ({ apiVersion: "weir/v1", kind: "Policy", metadata: { name: "p" }, spec }) as never;

describe("a policy by form", () => {
  it("is a mask with its parameter, about tags and fields, for some and not for others", () => {
    const made = policyDocument(
      form({
        mask: "MASK_SHOW_LAST_4",
        parameter: "2",
        fields: "prod/orders value.card\n\nprod/pay*  value.items[].iban",
        who: "group:analysts, ana",
        except: "role:admin, purpose:fraud",
      }),
      MASKS,
    );
    expect(made).toEqual({
      apiVersion: "weir/v1",
      kind: "Policy",
      metadata: { name: "p" },
      spec: {
        type: "mask",
        match: {
          tags: ["EMAIL_ADDRESS"],
          fields: [
            { dataset: "prod/orders", path: "value.card" },
            { dataset: "prod/pay*", path: "value.items[].iban" },
          ],
        },
        subjects: { groups: ["analysts"], users: ["ana"] },
        except: { roles: ["admin"], purposes: ["fraud"] },
        mask: { type: "MASK_SHOW_LAST_4", params: { show: 2 } },
      },
    });
  });

  it("is an access rule or a row filter", () => {
    expect(policyDocument(form({ type: "access", purposes: "fraud, audit" }), MASKS).spec).toEqual({
      type: "access",
      match: { tags: ["EMAIL_ADDRESS"] },
      requires: { grant: true, purpose: ["fraud", "audit"] },
    });
    expect(
      policyDocument(
        form({ type: "row-filter", tags: "", datasets: "*", fields: "x y", where: "region = 'EU'" }),
        MASKS,
      ).spec,
    ).toEqual({ type: "row-filter", match: { datasets: ["*"] }, where: "region = 'EU'" });
  });

  it("comes back as it was, with what the form does not show", () => {
    for (const spec of [
      {
        type: "mask",
        match: { tags: ["A"], fields: [{ dataset: "prod/a", path: "value.x" }] },
        subjects: { everyone: true, except: { users: ["eve"] } },
        except: { everyone: true, purposes: ["fraud"] },
        mask: { type: "TOKEN", params: { scope: "s" } },
      },
      { type: "mask", match: { datasets: ["*"] }, mask: { type: "CUSTOM", expression: "upper({col})" } },
      { type: "access", match: { tags: ["A"] }, requires: { grant: true } },
      { type: "row-filter", match: { datasets: ["prod/a"] }, where: "a > 1", description: "d" },
    ]) {
      expect(policyDocument(policyForm(document(spec), MASKS), MASKS, document(spec)).spec).toEqual(spec);
    }
  });

  it("does not widen whom a mask holds for when its people are changed", () => {
    const spec = {
      type: "mask",
      match: { tags: ["A"] },
      subjects: { everyone: true, except: { users: ["eve"] } },
      mask: { type: "MASK" },
    };
    const changed = policyDocument({ ...policyForm(document(spec), MASKS), description: "x" }, MASKS, document(spec));
    expect(changed.spec.subjects).toEqual(spec.subjects);
  });

  it("takes names with spaces, and leaves to YAML what it cannot show", () => {
    const spaced = { type: "access", match: { tags: ["my tag"] }, requires: { grant: true, purpose: ["fraud check"] } };
    expect(formFits(document(spaced), MASKS)).toBe(true);
    expect(policyDocument(policyForm(document(spaced), MASKS), MASKS, document(spaced)).spec).toEqual(spaced);
    const comma = { ...spaced, requires: { grant: true, purpose: ["fraud, check"] } };
    expect(formFits(document(comma), MASKS)).toBe(false);
  });

  it("keeps who is excepted inside of its subjects when others are named", () => {
    const spec = {
      type: "mask",
      match: { tags: ["A"] },
      subjects: { users: ["ana"], except: { purposes: ["p"] } },
      mask: { type: "MASK" },
    };
    const changed = policyDocument({ ...policyForm(document(spec), MASKS), who: "group:g" }, MASKS, document(spec));
    expect(changed.spec.subjects).toEqual({ groups: ["g"], except: { purposes: ["p"] } });
  });

  it("says what is missing", () => {
    expect(policyProblems(form({}), MASKS)).toEqual([]);
    expect(policyProblems(NEW_POLICY, MASKS)).toHaveLength(2);
    expect(policyProblems(form({ mask: "CUSTOM" }), MASKS)).toHaveLength(1);
    expect(policyProblems(form({ mask: "GENERALIZE", parameter: "ten" }), MASKS)).toEqual(["step is a number."]);
    expect(policyProblems(form({ type: "access", grant: false }), MASKS)).toHaveLength(1);
    expect(policyProblems(form({ type: "row-filter", tags: "", fields: "a b" }), MASKS)).toHaveLength(2);
  });
});

describe("people as text", () => {
  it("reads back what it writes", () => {
    const people = { users: ["ana"], groups: ["g"], roles: ["r"], purposes: ["p"] };
    expect(peopleFromText(peopleText(people))).toEqual(people);
    expect(peopleFromText(" , ")).toBeUndefined();
    expect(peopleText({ everyone: true })).toBe("");
  });
});
