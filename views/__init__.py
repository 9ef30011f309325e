"""Stream views: governed queries over topics whose answer is kept up to date.

    declared    `kind: View`, as it is written in YAML
    shape       what of SQL can follow topics, and how: pure
    serving     the rows of a view as a table, read by key under the reader's decision
    runner      keeps each view's streaming query in step with what is declared and decided
    adapters    Spark Structured Streaming, Kafka, SQLite and PostgreSQL

Enters: declared views, the catalog's topics, decisions of `policies`. Leaves: records of the view's topic, rows.
Start reading at `runner/view.py`.
"""
