"""Values of the Helm chart: the fewest that it needs, and all of them."""

from __future__ import annotations

from typing import Any

LEAST: dict[str, Any] = {
    "database": {"existingSecret": "weir-database"},
    "keys": {"existingSecret": "weir-keys"},
    "kafka": {"bootstrapServers": "kafka:9092"},
    "neo4j": {"uri": "bolt://neo4j:7687", "existingSecret": "weir-neo4j"},
    "elasticsearch": {"url": "http://elasticsearch:9200"},
    "spark": {"existingSecret": "weir-spark"},
}
ALL: dict[str, Any] = LEAST | {
    "publicUrl": "https://weir.example.com",
    "trust": {"existingConfigMap": "weir-trust"},
    "kafka": {
        "bootstrapServers": "kafka:9092",
        "tls": True,
        "caFile": "kafka.pem",
        "sasl": {"mechanism": "SCRAM-SHA-512", "username": "weir", "existingSecret": "weir-kafka"},
    },
    "schemaRegistry": {"url": "https://registry", "username": "weir", "existingSecret": "weir-registry"},
    "elasticsearch": {
        "url": "https://elasticsearch:9200",
        "auth": "password",
        "username": "weir",
        "existingSecret": "weir-elasticsearch",
        "caFile": "elasticsearch.pem",
    },
    "query": {"existingSecret": "weir-query"},
    "views": {
        "existingSecret": "weir-views",
        "checkpoints": "s3a://bucket/weir",
        "serving": {"existingSecret": "weir-serving"},
    },
    "declaredSecrets": {"existingSecret": "weir-declared"},
    "settings": {"WEIR_LOG__LEVEL": "DEBUG", "WEIR_LINEAGE__REPLICATION": 3},
    "extraEnv": [{"name": "WEIR_SECRET_SMTP", "valueFrom": {"secretKeyRef": {"name": "weir-mail", "key": "password"}}}],
    "extraVolumes": [{"name": "more", "emptyDir": {}}],
    "extraVolumeMounts": [{"name": "more", "mountPath": "/more"}],
    "serve": {
        "autoscaling": {"enabled": True},
        "tolerations": [{"key": "weir", "operator": "Exists"}],
        "nodeSelector": {"disk": "fast"},
        "podAnnotations": {"one": "two"},
        "podLabels": {"three": "four"},
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway"}
        ],
    },
    "worker": {"replicas": 2, "persistence": {"storageClass": "fast"}, "podLabels": {"three": "four"}},
    "ingress": {
        "enabled": True,
        "host": "weir.example.com",
        "className": "nginx",
        "tlsSecret": "weir-tls",
        "annotations": {"one": "two"},
    },
    "networkPolicy": {
        "from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ingress"}}}],
        "egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}],
    },
    "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
}
REQUIRED = (
    "database.existingSecret",
    "keys.existingSecret",
    "kafka.bootstrapServers",
    "neo4j.uri",
    "neo4j.existingSecret",
    "elasticsearch.url",
    "spark.existingSecret",
)
ALSO_REQUIRED: dict[str, dict[str, Any]] = {
    "kafka.sasl.existingSecret": {"kafka": {"sasl": {"username": "weir"}}},
    "schemaRegistry.existingSecret": {"schemaRegistry": {"username": "weir"}},
    "elasticsearch.existingSecret": {"elasticsearch": {"auth": "apiKey"}},
    "elasticsearch.username": {"elasticsearch": {"auth": "password", "existingSecret": "weir-elasticsearch"}},
    "trust.existingConfigMap": {"kafka": {"caFile": "kafka.pem"}},
    "ingress.host": {"ingress": {"enabled": True}},
}
"""A value that is required once others are set."""
