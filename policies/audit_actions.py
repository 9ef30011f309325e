"""Every action that an entry of the audit can have. Type checks hold what writes entries to the list; a test compares it with the
words that pages show in their place."""

from __future__ import annotations

from typing import Literal, get_args

AuditAction = Literal[
    "apply", "apply.proposed", "delete", "rebuild",
    "audit.export", "audit.remove", "audit.seal",
    "breakglass.use",
    "campaign.came_back", "campaign.close", "campaign.failed", "campaign.keep", "campaign.remind", "campaign.revoke",
    "campaign.start", "campaign.unconfirmed", "campaign.undo",
    "classification.review",
    "cluster.delete", "cluster.test",
    "connector.pause", "connector.restart", "connector.resume", "connector.stop",
    "decision",
    "delegation.end", "delegation.set",
    "directory.group.change", "directory.group.create", "directory.group.remove",
    "directory.release",
    "directory.user.change", "directory.user.create", "directory.user.cut", "directory.user.remove",
    "grant.revoke",
    "mask.preview",
    "notify.choose", "notify.test",
    "policy.simulate", "policy.test",
    "query", "query.cancel", "query.catalog", "query.check", "query.complete", "query.end", "query.explain",
    "query.stream", "query.view",
    "recognizer.test",
    "report.access", "report.access-review", "report.where-is",
    "request.approve", "request.ask-back", "request.cancel", "request.comment", "request.create", "request.deny",
    "request.escalate", "request.expire", "request.readdress",
    "saved-query.delete", "saved-query.share",
    "scan.cancel", "scan.start",
    "sign-in", "sign-in.rights", "sign-in.unlink", "sign-out",
    "token.create", "token.revoke", "token.rotate",
    "view.drop", "view.pause", "view.read", "view.rebuild", "view.replace", "view.restart", "view.resume", "view.start",
    "view.stop",
]  # fmt: skip

ACTIONS: frozenset[str] = frozenset(get_args(AuditAction))
