"""The names of all declared kinds, without their specifications, which take long to import. A test compares both."""

from __future__ import annotations

KIND_NAMES = (
    "AccessReview",
    "Cluster",
    "Connector",
    "Contract",
    "DataProduct",
    "Dataset",
    "DirectoryRights",
    "Domain",
    "GlossaryTerm",
    "Grant",
    "Group",
    "IdentityProvider",
    "Policy",
    "Principal",
    "Property",
    "Purpose",
    "Recognizer",
    "RequestTemplate",
    "Role",
    "ServiceAccount",
    "User",
    "View",
    "Visibility",
    "Webhook",
    "Workflow",
)
