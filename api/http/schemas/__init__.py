"""The shapes of the JSON answers, as `/openapi.json` and the pages' TypeScript types have them.

Enters   nothing: models are declared here and never filled in, so an answer costs no more for being documented.
Leaves   `routes` and `marquez` name them by `api.edge.openapi.answers(Model)`; a module for each subject.
Start    `base` has the three words everything is written in: `Answer`, `OpenAnswer`, `absent`.

A key that is always there is a plain field, `| None` where it may be null; a key that may be missing is `absent(...)`.
Tests hold every JSON answer they get to these models, unknown keys refused: tests/answer_check.py.
"""
