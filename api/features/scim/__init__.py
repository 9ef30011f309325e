"""SCIM 2.0 (RFC 7643, RFC 7644): how a company's directory keeps its people and groups here."""
