"""Before the first question: a graph apart is written and asked, so that Neo4j has its plans and pages ready."""
