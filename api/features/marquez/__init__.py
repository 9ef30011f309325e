"""Marquez's read paths in Marquez's shapes, so that its pages and clients work on this graph."""
