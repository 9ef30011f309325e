"""Campaigns in which rights are confirmed or revoked."""
