"""What one reader may know of, and the rooms' ports cut to that: enters a subject, leaves the services they may ask.

The decision is `policies.decision.visibility`. `knowledge` gives each reader a `horizon`, which takes it for the datasets of the
catalog: `outlines` reads these, `parted` keeps what is hidden of all of them. `store`, `graph` and `producers` are the ports as
if what is hidden was not there; `readers` joins the rooms' own services over them. So a dataset
that is hidden and one that does not exist get the same answer from the same code. Read `readers` first.
"""
