"""Requests to see data, and what people do with them: decide, ask back, comment, bundle, use templates."""
