"""Every statement sent to Neo4j. Fixed texts: names are parameters, and only a checked whole number is put in.

Walks are written so that the planner prunes (one visit per node, never one per path); a test explains each of them
and fails on path enumeration.
"""

from __future__ import annotations

from lineage.model import Basis, Direction, Kind

MIN_DEPTH = 3
"""The planner prunes walks from here on; a shorter walk is cut out of this one."""

MAX_DEPTH = 100

DEPTHS = (MIN_DEPTH, 5, 10, 20, 50, MAX_DEPTH)
"""Depths that walks are written for: each is a plan of its own. A walk of another depth is cut out of the next."""

PLANNED_ONCE = "CYPHER replan=skip "
"""Before statements whose plan does not depend on how much there is."""

LABELS = ("Dataset", "Job", "Name", "Book")

ENDS: dict[Kind, tuple[str, str]] = {
    Kind.FEEDS: ("Dataset", "Dataset"),
    Kind.READS: ("Job", "Dataset"),
    Kind.WRITES: ("Job", "Dataset"),
    Kind.CHILD_OF: ("Job", "Job"),
    Kind.HANDS_TO: ("Job", "Job"),
}

TYPES: dict[Kind, str] = {kind: kind.name for kind in ENDS}
"""Kinds of edges that are relationships of their own; those between columns are in `COLUMNS` (`bundles.py`)."""

SCHEMA = (
    "CREATE CONSTRAINT lineage_graph_name IF NOT EXISTS FOR (n:LineageGraph) REQUIRE n.name IS UNIQUE",
    "CREATE CONSTRAINT lineage_turn_name IF NOT EXISTS FOR (n:LineageTurn) REQUIRE n.name IS UNIQUE",
    *(
        f"CREATE CONSTRAINT lineage_{label.lower()}_key IF NOT EXISTS FOR (n:{label}) REQUIRE n.key IS UNIQUE"
        for label in LABELS
    ),
    *(
        f"CREATE CONSTRAINT lineage_{name.lower()}_id IF NOT EXISTS FOR ()-[e:{name}]-() REQUIRE e.id IS UNIQUE"
        for name in (*TYPES.values(), "ALSO", "COLUMNS")
    ),
    *(f"CREATE INDEX lineage_{label.lower()}_graph IF NOT EXISTS FOR (n:{label}) ON (n.graph)" for label in LABELS),
    *(
        f"CREATE INDEX lineage_{label.lower()}_namespace IF NOT EXISTS FOR (n:{label}) ON (n.graph, n.namespace)"
        for label in ("Dataset", "Job")
    ),
    "CREATE INDEX lineage_columns_owner IF NOT EXISTS FOR ()-[e:COLUMNS]-() ON (e.book)",
)

SCHEMA_NAMES = "SHOW INDEXES YIELD name"
"""A constraint's index has its name."""

# --- which generation of a graph is read and written -----------------------------------------------------------------

ACTIVE = "MATCH (g:LineageGraph {name: $name}) RETURN g.active AS active"
START = "MERGE (g:LineageGraph {name: $name}) ON CREATE SET g.active = 1, g.newest = 1 RETURN g.active AS active"
TURNS = 16
"""Writers side by side each have a turn of their own, so that they do not wait for each other; a switch takes all."""
MAKE_TURNS = f"""
UNWIND range(0, {TURNS - 1}) AS at
MERGE (t:LineageTurn {{name: $name + '/' + at}}) ON CREATE SET t.graph = $name, t.writes = 0
"""
NEXT = "MATCH (g:LineageGraph {name: $name}) SET g.newest = g.newest + 1 RETURN g.newest AS newest"
# A write takes the lock on its turn, and the switch on all of them: no transaction of the old generation ends after it.
ACTIVATE = """
UNWIND $turns AS turn MATCH (t:LineageTurn {name: turn}) SET t.writes = t.writes + 1
WITH count(t) AS turns
MATCH (g:LineageGraph {name: $name}) WITH g, g.active AS was SET g.active = $active RETURN was
"""
LOCK = """
MATCH (t:LineageTurn {name: $turn}) SET t.writes = t.writes + 1
WITH t MATCH (g:LineageGraph {name: $name}) RETURN g.active AS active
"""

# --- writing ---------------------------------------------------------------------------------------------------------

BOOKS = """
UNWIND $keys AS key MATCH (b:Book {key: key})
RETURN b.owner AS owner, b.version AS version, b.document AS document
"""

WRITE_BOOKS = """
UNWIND $rows AS r
MERGE (b:Book {key: r.key}) ON CREATE SET b.graph = $graph, b.version = 0
SET b.owner = r.owner  // takes the lock, before the version is read
WITH b, r
WITH b, r, b.version = r.version AS fits
SET b.version = b.version + 1, b.document = r.document
RETURN count(CASE WHEN fits THEN null ELSE 1 END) AS stale
"""

WRITE_NODES = {
    label: f"UNWIND $rows AS r MERGE (n:{label} {{key: r.key}}) ON CREATE SET n += r.new, n.graph = $graph"
    for label in ("Dataset", "Job", "Name")
}

# Edges between columns: `rows` is the document of neo4j_bundles.py.
# Whoever reads a bundle to change it takes its lock first.
_HELD = "SET e.derives = e.derives WITH e RETURN e.id AS id, e.rows AS rows"
BUNDLES = f"UNWIND $ids AS id MATCH ()-[e:COLUMNS {{id: id}}]->() {_HELD}"
BUNDLES_OF = f"UNWIND $books AS book MATCH ()-[e:COLUMNS {{book: book}}]->() {_HELD}"
CREATE_BUNDLES = """
UNWIND $rows AS r MATCH (a:Dataset {key: r.a}) MATCH (b:Dataset {key: r.b})
CREATE (a)-[:COLUMNS {
  id: r.id, owner: r.owner, book: r.book, rows: r.rows, derives: r.derives, influences: r.influences
}]->(b)
"""
SET_BUNDLES = """
UNWIND $rows AS r MATCH ()-[e:COLUMNS {id: r.id}]->()
SET e.rows = r.rows, e.derives = r.derives, e.influences = r.influences
"""
DELETE_BUNDLES = "UNWIND $ids AS id MATCH ()-[e:COLUMNS {id: id}]->() DELETE e"

WRITE_JOB_INFO = "UNWIND $rows AS r MATCH (n:Job {key: r.key}) SET n.info = r.info"
WRITE_DATASET_INFO = "UNWIND $rows AS r MATCH (n:Dataset {key: r.key}) SET n.said = r.said"
WRITE_DROPS = "UNWIND $rows AS r MATCH (n:Name {key: r.key}) SET n.drops = r.drops"
WRITE_CLEARS = "UNWIND $rows AS r MATCH (n:Name {key: r.key}) SET n.clears = r.clears"
WRITE_LINKS = """
UNWIND $rows AS r MATCH (a:Name {key: r.a}) MATCH (b:Name {key: r.b})
MERGE (a)-[e:ALSO {id: r.id}]->(b) ON CREATE SET e.type = r.type
"""


# Edges of one owner differ in little but their ends: what they share is sent once (`g`), with rows [id, source, target].
_SET = (
    "SET e.vt = g.vt, e.seen = g.seen, e.raw = g.raw, e.columns = g.columns, e.how = g.how, e.ct = g.ct,"
    " e.unfinished = g.unfinished"
)

_ENDS_OF_ROW = "UNWIND $groups AS g UNWIND g.rows AS r MATCH (a:{a} {{key: r[1]}}) MATCH (b:{b} {{key: r[2]}})"


def create_edges(kind: Kind) -> str:
    """Edges that are not there yet, at half the cost of `merge_edges`; fails where one of them is."""
    a, b = ENDS[kind]
    return f"""
{_ENDS_OF_ROW.format(a=a, b=b)}
CREATE (a)-[:{TYPES[kind]} {{
  id: r[0], rec: $now, vt: g.vt, seen: g.seen, raw: g.raw, columns: g.columns, how: g.how,
  owner: g.owner, job: g.job, vf: g.vf, origin: g.origin, ct: g.ct, unfinished: g.unfinished
}}]->(b)
"""


def merge_edges(kind: Kind) -> str:
    """Edges that may be there: a delta in portions was cut off before its book was written."""
    a, b = ENDS[kind]
    return f"""
{_ENDS_OF_ROW.format(a=a, b=b)}
MERGE (a)-[e:{TYPES[kind]} {{id: r[0]}}]->(b) ON CREATE SET e.rec = $now
{_SET}, e.owner = g.owner, e.job = g.job, e.vf = g.vf, e.origin = g.origin
"""


def update_edges(kind: Kind) -> str:
    return f"UNWIND $groups AS g UNWIND g.rows AS r MATCH ()-[e:{TYPES[kind]} {{id: r[0]}}]->() {_SET}"


def remove_edges(kind: Kind) -> str:
    return f"UNWIND $ids AS id MATCH ()-[e:{TYPES[kind]} {{id: id}}]->() DELETE e"


RETIRE_DATASETS = "UNWIND $keys AS key MATCH (d:Dataset {key: key}) WHERE NOT (d)--() DELETE d"

CONTEXT_NAMES = """
UNWIND $keys AS key MATCH (n:Name {key: key})
RETURN n.namespace AS namespace, n.name AS name, n.drops AS drops, n.clears AS clears
"""
CONTEXT_LINKS = """
UNWIND $keys AS key MATCH (:Name {key: key})-[e:ALSO]-()
WITH DISTINCT e, startNode(e) AS a, endNode(e) AS b
RETURN a.namespace AS a_namespace, a.name AS a_name, b.namespace AS b_namespace, b.name AS b_name, e.type AS type
"""
CONTEXT_INFO = """
UNWIND $keys AS key MATCH (n:Dataset {key: key}) WHERE n.said IS NOT NULL
RETURN n.namespace AS namespace, n.name AS name, n.said AS said
"""
OWNERS_OF = """
UNWIND $keys AS key MATCH (:Dataset {key: key})-[e:FEEDS|COLUMNS|READS|WRITES]-()
RETURN DISTINCT coalesce(e.owner, e.job) AS owner
"""

# --- reading ---------------------------------------------------------------------------------------------------------

NODES = {
    label: f"UNWIND $keys AS key MATCH (n:{label} {{key: key}})"
    f" RETURN n.key AS key, n.namespace AS namespace, n.name AS name, n.{extra} AS extra"
    for label, extra in (("Dataset", "said"), ("Job", "info"))
}

BUNDLES_AT = {
    direction: f"UNWIND $keys AS key MATCH (x:Dataset {{key: key}}){arrow}(y:Dataset)"
    f" RETURN [key, e.owner, {a}.namespace, {a}.name, {b}.namespace, {b}.name, e.rows] AS row"
    for direction, arrow, a, b in (
        (Direction.DOWNSTREAM, "-[e:COLUMNS]->", "x", "y"),
        (Direction.UPSTREAM, "<-[e:COLUMNS]-", "y", "x"),
    )
}
BUNDLES_IN = "MATCH (n:Dataset {graph: $graph})-[e:COLUMNS]->(m:Dataset) RETURN n.key AS a, m.key AS b, e.rows AS rows"
"""All of a graph."""

NAMED_IN = {
    label: f"MATCH (n:{label} {{graph: $graph}}) WHERE ($namespace IS NULL OR n.namespace = $namespace)"
    f" AND ($holding = '' OR toLower(n.name) CONTAINS $holding)"
    f" RETURN n.key AS key, n.namespace AS namespace, n.name AS name, n.{extra} AS extra"
    " ORDER BY n.key SKIP $offset LIMIT $limit"
    for label, extra in (("Dataset", "said"), ("Job", "info"))
}
# $said is how the job's JSON has its newest run: no index holds it, and one pass over the jobs costs little.
JOB_OF_RUN = (
    "MATCH (n:Job {graph: $graph}) WHERE n.info CONTAINS $fragment"
    " RETURN n.key AS key, n.namespace AS namespace, n.name AS name, n.info AS extra ORDER BY n.key LIMIT 1"
)
NAMESPACES = {
    label: f"MATCH (n:{label} {{graph: $graph}}) RETURN n.namespace AS namespace, count(*) AS count"
    for label in ("Dataset", "Job")
}

# $graph is the name of graph and generation; $prefix the same with the bar that ends it in keys.
_MINE = {label: f"(n:{label} {{graph: $graph}})" for label in LABELS}
SEARCH = {label: f"MATCH {_MINE[label]} RETURN n.key AS key LIMIT $limit" for label in ("Dataset", "Job")}

_VALID = "{e}.vf <= $time AND $time < {e}.vt"
_IN_CONTENTS = "{e}.vf <= $time AND $time < coalesce({e}.ct, {e}.vt)"
_ROW = """
RETURN [e.id, {a}.key, {b}.key, e.owner, e.job, e.vf, e.vt, e.seen, e.raw, e.columns, e.how, e.origin, e.ct, e.unfinished]
  AS row
LIMIT $rows
"""


def edges_at(kind: Kind, direction: Direction, basis: Basis = Basis.LAST_RUN) -> str:
    """Edges of a kind out of (or into) given nodes."""
    near = ENDS[kind][0 if direction is Direction.DOWNSTREAM else 1]
    return f"UNWIND $keys AS key MATCH (x:{near} {{key: key}}) MATCH {_step(kind, direction, basis)}"


def edges_since(kind: Kind, direction: Direction) -> str:
    """As `edges_at`, whenever after a time they were valid."""
    return edges_at(kind, direction).replace(_VALID.format(e="e"), "$time < e.vt")


def closure(kind: Kind, direction: Direction, depth: int, basis: Basis = Basis.LAST_RUN) -> str:
    """Edges of a kind within `depth` steps of given nodes: first the nodes, each once, then the edges among them.

    Raises ValueError for a depth outside 3..100 (a quantifier takes no parameter) or a kind that joins two labels.
    """
    a, b = ENDS[kind]
    if not MIN_DEPTH <= int(depth) <= MAX_DEPTH or a != b:
        raise ValueError("depth must be 3 to 100, and both ends of one label")
    walk = _arrow("", "", f"w:{TYPES[kind]} WHERE {_valid('w', basis)}", direction)
    return f"""
UNWIND $keys AS key MATCH (s:{a} {{key: key}})
MATCH (s) ({walk}){{0,{int(depth) - 1}}} (x)
WITH DISTINCT x LIMIT $nodes
MATCH {_step(kind, direction, basis)}"""


def _valid(edge: str, basis: Basis) -> str:
    return (_VALID if basis is Basis.LAST_RUN else _IN_CONTENTS).format(e=edge)


def _step(kind: Kind, direction: Direction, basis: Basis) -> str:
    ends = ("x", "y") if direction is Direction.DOWNSTREAM else ("y", "x")
    arrow = _arrow("x", "y", f"e:{TYPES[kind]} WHERE {_valid('e', basis)}", direction)
    return arrow + _ROW.format(a=ends[0], b=ends[1])


def _arrow(near: str, far: str, inside: str, direction: Direction) -> str:
    return f"({near})-[{inside}]->({far})" if direction is Direction.DOWNSTREAM else f"({near})<-[{inside}]-({far})"


COUNT_NODES = {label: f"MATCH {_MINE[label]} RETURN count(n) AS count" for label in ("Dataset", "Job")}
COUNT_EDGES = {
    kind: f"MATCH {_MINE[ends[0]]} MATCH (n)-[e:{TYPES[kind]}]->() RETURN count(e) AS count"
    for kind, ends in ENDS.items()
} | {
    kind: f"MATCH {_MINE['Dataset']} MATCH (n)-[e:COLUMNS]->() RETURN sum(e.{kind}) AS count"
    for kind in (Kind.DERIVES, Kind.INFLUENCES)
}
CLEAR = tuple(f"MATCH {_MINE[label]} CALL (n) {{ DETACH DELETE n }} IN TRANSACTIONS OF 1000 ROWS" for label in LABELS)


def asked() -> list[str]:
    """What impact, lineage and the pages ask, for warming up."""
    statements = [
        *BUNDLES_AT.values(),
        *NODES.values(),
        *NAMED_IN.values(),
        *NAMESPACES.values(),
        JOB_OF_RUN,
        BOOKS,
        ACTIVE,
    ]
    for direction in (Direction.UPSTREAM, Direction.DOWNSTREAM):
        for basis in Basis:
            statements += [edges_at(kind, direction, basis) for kind in ENDS]
            statements += [closure(Kind.FEEDS, direction, depth, basis) for depth in DEPTHS]
    return statements


def all_reads() -> dict[str, str]:
    """Every statement that walks, by a name for the test that explains them."""
    statements = {"owners_of": OWNERS_OF, "named_in": NAMED_IN["Dataset"], "job_of_run": JOB_OF_RUN}
    for direction in (Direction.UPSTREAM, Direction.DOWNSTREAM):
        statements[f"bundles_at {direction}"] = BUNDLES_AT[direction]
        for kind in ENDS:
            statements[f"edges_at {kind} {direction}"] = edges_at(kind, direction)
            statements[f"edges_at {kind} {direction} contents"] = edges_at(kind, direction, Basis.CONTENTS)
            statements[f"edges_since {kind} {direction}"] = edges_since(kind, direction)
        for kind in (Kind.FEEDS, Kind.CHILD_OF, Kind.HANDS_TO):
            for depth in (MIN_DEPTH, 20, MAX_DEPTH):
                for basis in Basis:
                    statements[f"closure {kind} {direction} {depth} {basis}"] = closure(kind, direction, depth, basis)
    return statements
