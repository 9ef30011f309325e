"""The variables by which a program finds the servers of an instance."""

from __future__ import annotations

from stack.spec import Addresses


def environment_of(addresses: Addresses) -> dict[str, str]:
    """WEIR_* variables with addresses and logins; none for an external server."""
    variables = {
        "WEIR_KAFKA__BOOTSTRAP_SERVERS": addresses.kafka,
        "WEIR_SCHEMA_REGISTRY__URL": addresses.registry,
        "WEIR_NEO4J__URI": addresses.neo4j,
        "WEIR_ELASTICSEARCH__URL": addresses.elasticsearch,
        "WEIR_SPARK__REMOTE": addresses.spark,
        "WEIR_QUERY__REMOTE": addresses.query,
    }
    if addresses.neo4j:
        variables["WEIR_NEO4J__USER"], variables["WEIR_NEO4J__PASSWORD"] = addresses.neo4j_auth
    if addresses.kafka_login:
        user, password = addresses.kafka_login
        variables |= {"WEIR_KAFKA__SASL_MECHANISM": "PLAIN", "WEIR_KAFKA__SASL_USERNAME": user}
        variables |= {"WEIR_KAFKA__SASL_PASSWORD": password, "WEIR_SECRET_STACK_KAFKA": password}
    if addresses.registry_login:
        user, password = addresses.registry_login
        variables |= {"WEIR_SCHEMA_REGISTRY__USERNAME": user, "WEIR_SCHEMA_REGISTRY__PASSWORD": password}
        variables["WEIR_SECRET_STACK_REGISTRY"] = password
    if addresses.connect_login:
        variables["WEIR_SECRET_STACK_CONNECT"] = addresses.connect_login[1]
    if addresses.elasticsearch_login:
        user, password = addresses.elasticsearch_login
        variables |= {"WEIR_ELASTICSEARCH__USERNAME": user, "WEIR_ELASTICSEARCH__PASSWORD": password}
    return {name: value for name, value in variables.items() if value}
