"""The plan that makes the live ACLs equal to those that are due. Only ACLs in the care of Weir are deleted. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from catalog.broker_acls import EVERYONE, WILDCARD, BrokerAcl, BrokerAcls, Operation, Pattern, Resource, printable
from policies.broker_rights.authorizer import Authorizer, OnResource
from policies.broker_rights.changes import Action, Change, ChangeKind, Plan, Unopened
from policies.broker_rights.desired import Desired, Due
from policies.broker_rights.ledger import OWNED, AclState

_MARK = "_weir.rights."
_LONGEST_ID = 40
_BEHIND_PREFIX = "\0"
"""Makes a name that a prefix fits and no literal name is."""


def mark_of(installation: str) -> BrokerAcl:
    """The ACL by which other Weirs know that this one makes ACLs here. It denies something to nobody."""
    name = f"{_MARK}{installation}"
    return BrokerAcl(Resource.GROUP, Pattern.LITERAL, name, f"User:{name}", WILDCARD, Operation.DESCRIBE, allow=False)


def other_installations(acls: Iterable[BrokerAcl], own: str) -> list[str]:
    """Ids of other Weirs that make ACLs at these brokers, sorted; cut and printable, as anybody may have made them."""
    names = {acl.name.removeprefix(_MARK) for acl in acls if is_mark(acl)}
    return sorted({printable(name)[:_LONGEST_ID] for name in names - {own}})


def is_mark(acl: BrokerAcl) -> bool:
    """Whether an ACL is the mark of a Weir."""
    return acl.resource is Resource.GROUP and not acl.allow and acl.name.startswith(_MARK)


def difference(
    live: BrokerAcls,
    due: Mapping[BrokerAcl, Due],
    desired: Desired,
    states: Mapping[BrokerAcl, AclState],
    mark: BrokerAcl,
    back_again: bool = False,
) -> Plan:
    """The changes, without the names of the plan. `states`: what the ledger knows of each ACL.

    back_again  delete ACLs that Weir deleted before and that somebody made again
    """
    there = set(live.acls)
    owned = {acl for acl, state in states.items() if state in OWNED and not is_mark(acl)}
    deletes, unopened = _deletes(live, there, due, desired, states, owned, back_again)
    left = replace(live, acls=tuple(acl for acl in live.acls if acl not in deletes))
    authorizer = Authorizer(left)
    creates: list[Change] = []
    kept = 0
    for acl in sorted(due):
        why = due[acl]
        on = authorizer.on(acl.resource, acl.name + (_BEHIND_PREFIX if acl.pattern is Pattern.PREFIXED else ""))
        if (acl in there and acl not in deletes) or _is_open(on, acl):
            kept += 1
        elif problem := _in_the_way(on, acl):
            unopened.append(Unopened(acl, problem))
        else:
            again = why.kind is ChangeKind.TOPIC_READ and acl in owned
            kind = ChangeKind.TOPIC_READ_AGAIN if again else why.kind
            reason = f"It was removed by hand. {why.reason}" if acl in owned else why.reason
            creates.append(Change(Action.CREATE, kind, acl, reason, why.adopted))
    if creates and mark not in there:
        reason = "Shows other Weirs that this one makes ACLs at these brokers; it lets nobody do anything."
        creates.append(Change(Action.CREATE, ChangeKind.INSTALLATION_MARK, mark, reason))
    return Plan(
        name="",
        cluster="",
        changes=(*creates, *(_with_what_stays(authorizer, deletes[acl]) for acl in sorted(deletes))),
        kept=kept,
        unopened=tuple(unopened),
        lost=tuple(sorted(acl for acl in owned if acl not in there and acl not in due)),
        others=len(there - owned) - sum(is_mark(acl) for acl in there),
    )


def _deletes(
    live: BrokerAcls,
    there: Collection[BrokerAcl],
    due: Mapping[BrokerAcl, Due],
    desired: Desired,
    states: Mapping[BrokerAcl, AclState],
    owned: Collection[BrokerAcl],
    back_again: bool,
) -> tuple[dict[BrokerAcl, Change], list[Unopened]]:
    deletes: dict[BrokerAcl, Change] = {}
    for acl in owned:
        adopted = states[acl] is AclState.ADOPTED
        if acl in due or acl not in there or (adopted and acl not in desired.ended):
            continue
        why = desired.why_not(acl)
        deletes[acl] = Change(Action.DELETE, why.kind, acl, why.reason, adopted)
    if back_again:
        for acl, state in states.items():
            if state is AclState.REMOVED and acl in there and acl not in due:
                reason = f"Weir deleted it, and somebody made it again. {desired.why_not(acl).reason}"
                deletes[acl] = Change(Action.DELETE, ChangeKind.BACK_AGAIN, acl, reason)
    return but_the_last(live, deletes)


def but_the_last(live: BrokerAcls, deletes: dict[BrokerAcl, Change]) -> tuple[dict[BrokerAcl, Change], list[Unopened]]:
    """Without the last ACL of a topic: where brokers let everybody use topics that no ACL is about, it keeps the others out."""
    if live.everyone_if_no_acl is False:
        return deletes, []
    kept: list[Unopened] = []
    authorizer = Authorizer(replace(live, acls=tuple(acl for acl in live.acls if acl not in deletes)))
    closed: set[str] = set()
    for acl in sorted(deletes):
        if acl.resource is not Resource.TOPIC or acl.name in closed:
            continue
        if not authorizer.on(acl.resource, acl.name).about:
            del deletes[acl]
            closed.add(acl.name)
            kept.append(
                Unopened(
                    acl,
                    f"It stays: it is the last ACL of the topic {acl.name}, and the brokers may let"
                    " everybody use a topic without one (allow.everyone.if.no.acl.found). Set that to false, or deny the reader.",
                )
            )
    return deletes, kept


def _is_open(on: OnResource, acl: BrokerAcl) -> bool:
    """Whether other ACLs, or a setting, let the principal do all that an ACL would."""
    if acl.host != WILDCARD:
        return on.allowed(acl.principal, acl.host, acl.operation) is True
    possible = on.possible(acl.principal, acl.operation)
    return bool(possible.others) and not possible.barred


def _in_the_way(on: OnResource, acl: BrokerAcl) -> str | None:
    """Why an ACL would not help, or do harm; None: it does what it is for."""
    for each in on.about:
        fits = each.principal in (acl.principal, EVERYONE) and each.host in (WILDCARD, acl.host)
        if not each.allow and fits and each.operation in (Operation.ALL, acl.operation):
            return f"An ACL that Weir did not make goes before it: {each}. Remove that one first."
    if not on.about and on.cluster.everyone_if_no_acl is None:
        return (
            f"No ACL is about the {acl.resource.replace('_', ' ')} {acl.name}, and the first one would close it to all others if"
            " the brokers let everybody in without one. Write authorizer: {allowEveryoneIfNoAclFound: false} in the document of the"
            " cluster if they do not."
        )
    return None


def _with_what_stays(after: Authorizer, change: Change) -> Change:
    """A deletion with what still lets the principal read, where that is so."""
    acl = change.acl
    if acl.resource is not Resource.TOPIC or acl.pattern is not Pattern.LITERAL or acl.name == WILDCARD:
        return change
    possible = after.on(acl.resource, acl.name).possible(acl.principal, Operation.READ)
    if not possible.somewhere:
        return change
    by = f": {possible.acls[0]}" if possible.acls else ""
    return replace(
        change, reason=f"{change.reason} It can still be read by what Weir did not make{by} (weir rights findings)."
    )
