"""SCIM 2.0 (RFC 7643, RFC 7644) over the directory of `policies.access.directory`."""
