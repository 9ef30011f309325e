// Actions of the audit in words. The server's list is policies/audit/actions.py; a test compares the two.

const WORDS: Record<string, string> = {
  "agent.create": "Agent created",
  "agent.end": "Agent ended",
  apply: "Documents applied",
  "apply.proposed": "Documents proposed to a second person",
  delete: "Document deleted",
  rebuild: "Index rebuilt",
  "audit.export": "Audit exported",
  "audit.remove": "Audit segment removed",
  "audit.seal": "Audit segment sealed",
  "breakglass.use": "Emergency access used",
  "campaign.came_back": "Revoked right came back",
  "campaign.close": "Access review closed",
  "campaign.failed": "Access review could not start",
  "campaign.keep": "Right kept in an access review",
  "campaign.remind": "Reviewers reminded",
  "campaign.revoke": "Right revoked in an access review",
  "campaign.start": "Access review started",
  "campaign.unconfirmed": "Right not confirmed in an access review",
  "campaign.undo": "Decision of an access review undone",
  "classification.review": "Personal data reviewed",
  "cluster.delete": "Cluster deleted",
  "cluster.test": "Connection to a cluster tested",
  "connector.pause": "Connector paused",
  "connector.restart": "Connector restarted",
  "connector.resume": "Connector resumed",
  "connector.stop": "Connector stopped",
  decision: "Access decision requested",
  "delegation.end": "Delegation ended",
  "delegation.set": "Delegate named",
  "directory.group.change": "Group changed by the directory",
  "directory.group.create": "Group added by the directory",
  "directory.group.remove": "Group removed by the directory",
  "directory.release": "Name taken back from the directory",
  "directory.user.change": "User changed by the directory",
  "directory.user.create": "User added by the directory",
  "directory.user.cut": "Access ended by the directory",
  "directory.user.remove": "User removed by the directory",
  "grant.revoke": "Grant revoked",
  "incident.acknowledge": "Incident acknowledged",
  "incident.assign": "Incident assigned",
  "incident.comment": "Incident commented",
  "incident.resolve": "Incident resolved",
  "mask.preview": "Mask tried",
  "notify.choose": "Notifications chosen",
  "notify.test": "Test notification sent",
  "policy.simulate": "Change of policies simulated",
  "policy.test": "Policy tested",
  "quality.mark": "Time marked in quality",
  query: "Query",
  "query.cancel": "Query stopped",
  "query.catalog": "Query of the catalog",
  "query.check": "Query checked while typing",
  "query.complete": "Completions looked up",
  "query.end": "Query ended",
  "query.explain": "Query explained",
  "query.stream": "Query followed live",
  "query.view": "Statement about views",
  "recognizer.test": "Recognizer tested",
  "report.access": "Access of others looked up",
  "report.access-review": "Evidence of an access review downloaded",
  "report.rights": "Rights at the brokers looked up",
  "report.where-is": "Data locations looked up",
  "request.approve": "Access request approved",
  "request.ask-back": "Question to the requester",
  "request.cancel": "Access request withdrawn",
  "request.comment": "Comment on an access request",
  "request.create": "Access requested",
  "request.deny": "Access request denied",
  "request.escalate": "Access request escalated",
  "request.expire": "Access request expired",
  "request.readdress": "Access request sent to other approvers",
  "rights.adopt": "ACLs adopted",
  "rights.copy": "Masked copy for consumers made or removed",
  "rights.apply": "ACLs changed at the brokers",
  "rights.propose": "Plan of ACLs proposed to a second person",
  "rights.undo": "Change of ACLs undone",
  "saved-query.delete": "Saved query deleted",
  "saved-query.share": "Saved query shared",
  "scan.cancel": "Scan cancelled",
  "scan.start": "Scan started",
  "sign-in": "Sign-in",
  "sign-in.rights": "Rights changed at the identity provider",
  "sign-in.unlink": "Sign-in unlinked",
  "sign-out": "Sign-out",
  "token.create": "Token created",
  "token.revoke": "Token revoked",
  "token.rotate": "Token rotated",
  "view.drop": "View deleted",
  "view.pause": "View paused",
  "view.read": "View read",
  "view.rebuild": "View rebuilt",
  "view.replace": "View replaced by a new generation",
  "view.restart": "View restarted",
  "view.resume": "View resumed",
  "view.start": "View started",
  "view.stop": "View stopped",
};

/** Every action with its words, by the words. */
export const ACTIONS: readonly (readonly [string, string])[] = Object.entries(WORDS).sort(([, a], [, b]) =>
  a.localeCompare(b),
);

/** What an action means; an action of a newer server is shown as it is. */
export const actionWords = (action: string): string => (Object.hasOwn(WORDS, action) && WORDS[action]) || action;

/** The action that a text of the filter names by its words or by itself; other texts stay, as the beginning of one. */
export function actionNamed(text: string): string {
  const wanted = text.trim().toLowerCase();
  return ACTIONS.find(([, words]) => words.toLowerCase() === wanted)?.[0] ?? text.trim();
}

/** `by agent helper, run_query`: by what somebody acted, as an entry of the audit has it; empty where they did so themselves. */
export function meansWords(details: Record<string, unknown>): string {
  const { agent, tool } = details;
  const named = [typeof agent === "string" && `agent ${agent}`, typeof tool === "string" && tool].filter(Boolean);
  return named.length ? `by ${named.join(", ")}` : "";
}
