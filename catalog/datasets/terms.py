"""Glossary terms and the tags they give."""

from __future__ import annotations

from catalog.ports import DocumentStore


def term_tags(store: DocumentStore) -> dict[str, tuple[str, ...]]:
    """Glossary term -> the tags it gives to whatever carries it, its parents' included. A circle of parents ends."""
    terms = {d.key: d.spec for d in store.documents("GlossaryTerm")}

    def tags(name: str, seen: frozenset[str]) -> tuple[str, ...]:
        spec = terms.get(name)
        if spec is None or name in seen:
            return ()
        own = tuple(spec.get("tags", ()))
        parent = spec.get("parent")
        return own + (tags(parent, seen | {name}) if parent else ())

    return {name: tuple(dict.fromkeys(tags(name, frozenset()))) for name in terms}
