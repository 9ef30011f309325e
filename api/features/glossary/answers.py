"""Answers of `/glossary`."""

from __future__ import annotations

from api.edge.answer import Answer, about


class Term(Answer):
    """A term of the glossary."""

    name: str
    definition: str
    parent: str | None
    synonyms: list[str]
    tags: list[str] = about("What fields that carry it are tagged with: kinds of personal data among them.")
    children: list[str]
    datasets: int = about("Datasets that carry it as a whole, of those that the caller may know of.")
    fields: int = about("Fields that carry it, of those that the caller may know of.")


class Glossary(Answer):
    """Every term that the caller may know of, in order of names."""

    terms: list[Term]


class CarryingField(Answer):
    """A field that carries a term."""

    dataset: str = about("CLUSTER/TOPIC.")
    path: str


class TermDetails(Term):
    """A term with what carries it."""

    path: list[str] = about("Its parents, the widest first.")
    carrying_datasets: list[str]
    carrying_fields: list[CarryingField]
