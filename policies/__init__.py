"""Policies: decisions, masks and row filters, governed queries, approvals, grants, audit."""
