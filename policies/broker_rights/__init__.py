"""What principals may do at the brokers, beside what Weir grants, and what is used of it.

In:  the ACLs of a cluster as the brokers keep them, declared principals, decisions of Weir, consumer groups, the audit.
Out: one row for each topic and principal (granted, possible, used), findings with a severity, and what is not known.

Start reading at `authorizer.py`: it decides on an operation as Kafka's StandardAuthorizer does. `principals.py` knows whose a
principal is, `rows.py` joins, `findings.py` names what is wrong; `service.py` asks the brokers and the rest of Weir.
"""
