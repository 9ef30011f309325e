"""`/glossary`: words of the business as a tree, and what carries them."""

from __future__ import annotations

from api.edge.parameters import Name
from api.features.glossary import answers
from api.features.glossary.service import GlossaryTree
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From

router = FeatureRouter("/glossary", tags=["catalog"])


@router.get("", dependencies=[signed_in(KNOWN)])
def glossary(tree: From[GlossaryTree], caller: Caller) -> answers.Glossary:
    """Every term with its parent, its children, and how many datasets and fields carry it."""
    return tree.all(caller)


@router.get("/{name}", dependencies=[signed_in(KNOWN)])
def term(tree: From[GlossaryTree], caller: Caller, name: Name) -> answers.TermDetails:
    """One term, its parents, and the datasets and fields that carry it. Declared by kind: GlossaryTerm."""
    return tree.one(caller, name)
