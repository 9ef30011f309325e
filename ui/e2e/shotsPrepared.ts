// What pictures show and the demo has not: a domain, an access review, an agent, a service account.
import { tokenOf, WEIR } from "./weir";

const DOCUMENTS = `
apiVersion: weir/v1
kind: Domain
metadata: {name: sales}
spec:
  description: Orders, customers and what is shipped.
  datasets: ["prod/orders", "prod/customers", "prod/deliveries"]
  admins: {users: [petra]}
  stewards: {users: [ana]}
---
apiVersion: weir/v1
kind: ServiceAccount
metadata: {name: order-dashboard}
spec:
  description: Reads orders for the dashboard of the shop.
  owner: petra
  roles: [analyst]
`;
const REVIEW = {
  name: "personal-data",
  spec: { scope: { tags: ["PII"] }, items: ["grants", "roles"], reviewers: { users: ["petra"] }, onNoAnswer: "revoke" },
};
const AGENT = { name: "order-helper", purpose: "order-support", datasets: ["prod/orders"], expiresIn: "7d" };

async function post(path: string, body: BodyInit, user: string): Promise<void> {
  const answer = await fetch(`${WEIR}/api/v1${path}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${tokenOf(user)}`,
      "Content-Type": path === "/apply" ? "application/yaml" : "application/json",
    },
    body,
  });
  if (!answer.ok && answer.status !== 409) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
}

export async function prepare(): Promise<void> {
  await post("/apply", DOCUMENTS, "admin");
  await post("/access-reviews", JSON.stringify(REVIEW), "admin");
  await post("/agents", JSON.stringify(AGENT), "ana");
}
