"""`weir rights` and `weir access grants` through the running application."""

from __future__ import annotations

import json
from pathlib import Path

from catalog.broker_acls import BrokerAcl, BrokerAcls, Operation, Pattern, Resource
from catalog.topic_details import AclsKnown
from tests.api_world import ApiWorld
from tests.unit.api.cli.test_cli import CLUSTER, Weir, home, served, weir  # noqa: F401

READS = BrokerAcl(Resource.TOPIC, Pattern.LITERAL, "orders", "User:app", "10.0.0.7", Operation.READ, True)


def test_rights_findings_and_principals_are_printed(weir: Weir, served: ApiWorld, home: Path) -> None:  # noqa: F811
    served.apply(CLUSTER)
    served.scan(cluster="prod", topics=["orders"])
    served.acls.by_address["localhost:9092"] = BrokerAcls(AclsKnown.YES, (READS,))
    listed = json.loads(weir("rights", "list", "--dataset", "prod/orders", "-o", "json").out)
    assert [(r["principal"], r["mapping"]) for r in listed["rights"]] == [("User:app", "unmapped")]
    shown = weir("rights", "list", "--principal", "User:app")
    assert shown.code == 0 and "from 10.0.0.7" in shown.out and "unmapped" in shown.out
    high = weir("rights", "findings", "--severity", "high")
    assert high.code == 0 and "may read prod/orders" in " ".join(high.out.split())
    written = weir("rights", "findings", "-o", "csv").out
    assert written.startswith("severity,kind,cluster,dataset,principal,text,fix,acls")
    named = weir("rights", "principals")
    assert "User:app" in named.out and "1 are not mapped" in named.out
    refused = weir("rights", "list", "--cluster", "nope")
    assert refused.code != 0 and "There is no cluster 'nope'; known: prod." in refused.err


def test_grants_are_below_access_and_the_old_words_name_the_new_ones(weir: Weir, home: Path) -> None:  # noqa: F811
    assert "No grants." in weir("access", "grants").out
    old = weir("grant", "list")
    assert "No grants." in old.out and "weir access grants" in old.err


def test_a_plan_is_shown_applied_by_its_id_and_undone(weir: Weir, served: ApiWorld, home: Path) -> None:  # noqa: F811
    served.apply(CLUSTER)
    served.scan(cluster="prod", topics=["orders"])
    served.apply(
        "apiVersion: weir/v1\nkind: Role\nmetadata: {name: all}\nspec: {seesUnscanned: true, read: [{dataset: 'prod/*'}]}\n---\n"
        "apiVersion: weir/v1\nkind: ServiceAccount\nmetadata: {name: app}\nspec: {roles: [all]}\n---\n"
        "apiVersion: weir/v1\nkind: Principal\nmetadata: {name: app}\n"
        "spec: {principals: ['User:app'], subject: {serviceAccount: app}, consumes: ['prod/*'], consumerGroups: [app]}\n"
    )
    served.acls.by_address["localhost:9092"] = BrokerAcls(AclsKnown.YES, (READS,), topics=frozenset({"orders"}))
    shown = weir("rights", "plan")
    identifier = json.loads(weir("rights", "plan", "-o", "json").out)["id"]
    assert shown.code == 0 and f"Plan {identifier} for prod: 3 changes" in " ".join(shown.out.split())
    dry = weir("rights", "apply", identifier)
    assert "Nothing is changed yet." in dry.out and served.acls.changed == []
    done = weir("rights", "apply", identifier, "--yes")
    assert done.code == 0 and "3 of 3" in done.out and len(served.acls.changed) == 3
    stale = weir("rights", "apply", identifier, "--yes")
    assert stale.code != 0 and f"The plan {identifier} is stale" in " ".join(stale.err.split())
    assert "No changes" in weir("rights", "plan").out
    adopted = weir("rights", "adopt", "User:app", "--dataset", "prod/orders")
    assert adopted.code == 0 and "10.0.0.7" in adopted.out
    assert "2 of 2" in weir("rights", "undo").out


def test_a_dataset_that_nothing_fits_is_named_and_not_taken_for_one_without_rights(
    weir: Weir,  # noqa: F811
    served: ApiWorld,  # noqa: F811
    home: Path,  # noqa: F811
) -> None:
    served.apply(CLUSTER)
    served.scan(cluster="prod", topics=["orders"])
    served.acls.by_address["localhost:9092"] = BrokerAcls(AclsKnown.YES, (READS,))
    for command in ("list", "findings"):
        shown = weir("rights", command, "--dataset", "prod/ordres")
        printed = " ".join((shown.out + shown.err).split())
        assert "No dataset that you may know of fits 'prod/ordres'; did you mean prod/orders?" in printed
        assert "No principal may" not in printed and "No findings" not in printed
    fits = weir("rights", "list", "--dataset", "prod/ord*")
    assert "User:app" in fits.out and "No dataset" not in fits.out + fits.err
