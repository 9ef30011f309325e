"""Catalog: the shared words, the dataset record, search, and the where-is-this-field report."""
