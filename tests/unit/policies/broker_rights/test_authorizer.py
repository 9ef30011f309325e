"""The decisions about ACLs, compared with a reader that goes through the list by hand, over random sets of ACLs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.broker_acls import BrokerAcl, BrokerAcls, Operation, Pattern, Resource
from catalog.topic_details import AclsKnown
from policies.broker_rights.authorizer import ANOTHER_HOST, OPERATIONS, Authorizer

PRINCIPALS = ["User:app", "User:ana", "User:root", "Robot:r2", "User:*"]
HOSTS = ["10.0.0.1", "10.0.0.2"]
TOPICS = ["orders", "orders.eu", "ord", "*", "payments"]
NAMES = ["orders", "orders.", "ord", "o", "*", "payments", "pay", "x"]

acls = st.builds(
    BrokerAcl,
    resource=st.sampled_from([Resource.TOPIC, Resource.TOPIC, Resource.TOPIC, Resource.GROUP]),
    pattern=st.sampled_from(Pattern),
    name=st.sampled_from(NAMES),
    principal=st.sampled_from(PRINCIPALS),
    host=st.sampled_from([*HOSTS, "*", "*"]),
    operation=st.sampled_from(Operation),
    allow=st.sampled_from([True, True, False]),
)
clusters = st.builds(
    BrokerAcls,
    known=st.just(AclsKnown.YES),
    acls=st.lists(acls, max_size=14).map(tuple),
    super_users=st.sampled_from([frozenset(), frozenset({"User:root"}), None]),
    everyone_if_no_acl=st.sampled_from([True, False, None]),
)


def by_hand(cluster: BrokerAcls, resource: Resource, name: str, who: str, host: str, wanted: Operation) -> bool | None:
    """What a person with the printed list and Kafka's manual would answer: one ACL after another, no index."""
    if cluster.super_users is not None and who in cluster.super_users:
        return True
    about_it = 0
    denied = allowed = False
    for acl in cluster.acls:
        if acl.resource != resource:
            continue
        if acl.pattern == "literal" and acl.name not in ("*", name):
            continue
        if acl.pattern == "prefixed" and name[: len(acl.name)] != acl.name:
            continue
        about_it += 1
        if acl.principal != who and acl.principal != "User:*":
            continue
        if acl.host != "*" and acl.host != host:
            continue
        if acl.allow:
            enough = ["all", str(wanted)]
            if wanted == "describe":
                enough += ["read", "write", "delete", "alter"]
            if wanted == "describe_configs":
                enough += ["alter_configs"]
            allowed = allowed or str(acl.operation) in enough
        else:
            denied = denied or str(acl.operation) in ("all", str(wanted))
    if denied:
        return False
    if allowed:
        return True
    if about_it == 0:
        return cluster.everyone_if_no_acl
    return False


@settings(max_examples=500, deadline=None)
@given(clusters)
def test_every_decision_is_that_of_a_reader_by_hand(cluster: BrokerAcls) -> None:
    authorizer = Authorizer(cluster)
    for resource, operations in OPERATIONS.items():
        for name in TOPICS:
            on = authorizer.on(resource, name)
            for who in PRINCIPALS:
                for operation in operations:
                    for host in [*HOSTS, ANOTHER_HOST]:
                        expected = by_hand(cluster, resource, name, who, host, operation)
                        assert on.allowed(who, host, operation) == expected, (name, who, host, operation)
                    possible = on.possible(who, operation)
                    others = by_hand(cluster, resource, name, who, "an.other.host", operation)
                    assert (possible.others or False) == (others or False)
                    assert possible.unknown is (others is None)
                    for host in HOSTS:
                        reaches = host in possible.hosts or (bool(possible.others) and host not in possible.barred)
                        assert reaches == bool(by_hand(cluster, resource, name, who, host, operation)), (who, host)


def acl(principal: str, operation: Operation, name: str = "orders", **changed: object) -> BrokerAcl:
    given: dict[str, object] = {"resource": Resource.TOPIC, "pattern": Pattern.LITERAL, "host": "*", "allow": True}
    return BrokerAcl(name=name, principal=principal, operation=operation, **{**given, **changed})  # type: ignore[arg-type]


def cluster(*entries: BrokerAcl, **settings: object) -> BrokerAcls:
    return BrokerAcls(AclsKnown.YES, tuple(entries), **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("entries", "who", "operation", "expected"),
    [
        ([acl("User:app", Operation.READ)], "User:app", Operation.READ, True),
        ([acl("User:app", Operation.READ)], "User:app", Operation.DESCRIBE, True),
        ([acl("User:app", Operation.READ)], "User:app", Operation.WRITE, False),
        ([acl("User:app", Operation.DESCRIBE)], "User:app", Operation.READ, False),
        ([acl("User:app", Operation.READ, allow=False)], "User:app", Operation.DESCRIBE, False),
        ([acl("User:*", Operation.ALL, "*")], "User:app", Operation.DELETE, True),
        ([acl("User:app", Operation.READ, "ord", pattern=Pattern.PREFIXED)], "User:app", Operation.READ, True),
        ([acl("User:app", Operation.READ, "ord")], "User:app", Operation.READ, False),
        (
            [acl("User:app", Operation.ALL), acl("User:*", Operation.READ, "*", allow=False)],
            "User:app",
            Operation.READ,
            False,
        ),
        ([acl("User:APP", Operation.READ)], "User:app", Operation.READ, False),
    ],
)
def test_single_rules(entries: Sequence[BrokerAcl], who: str, operation: Operation, expected: bool) -> None:
    on = Authorizer(cluster(*entries)).on(Resource.TOPIC, "orders")
    assert on.allowed(who, "10.0.0.1", operation) is expected


def test_a_topic_without_acls_is_open_to_all_only_where_the_brokers_say_so() -> None:
    other = acl("User:app", Operation.READ, "payments")
    for setting, expected in ((True, True), (False, False), (None, None)):
        on = Authorizer(cluster(other, everyone_if_no_acl=setting)).on(Resource.TOPIC, "orders")
        assert on.allowed("User:anybody", "h", Operation.READ) is expected
        assert on.possible("User:anybody", Operation.READ).unknown is (expected is None)


def test_hosts_are_told_apart() -> None:
    entries = (acl("User:app", Operation.READ), acl("User:app", Operation.READ, host="10.0.0.9", allow=False))
    everywhere_but = Authorizer(cluster(*entries)).on(Resource.TOPIC, "orders").possible("User:app", Operation.READ)
    assert (everywhere_but.others, everywhere_but.barred) == (True, ("10.0.0.9",))
    one = Authorizer(cluster(acl("User:app", Operation.READ, host="10.0.0.9"))).on(Resource.TOPIC, "orders")
    assert one.possible("User:app", Operation.READ).hosts == ("10.0.0.9",)
