"""`/jobs/runs/{run_id}`: a run as Marquez has it, or a job in a namespace called `runs`."""

from __future__ import annotations

from api.edge.parameters import AsOf, Name, stamp
from api.features.lineage.answers.jobs import JobNamedRuns, job_named_runs_of
from api.features.marquez.answers import MarquezRun
from api.features.marquez.runs import newest_run, no_run
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from catalog.errors import NotFound
from catalog.model import NodeId

router = FeatureRouter("/jobs/runs", tags=["marquez"], tolerant=True)


@router.get("/{run_id}", dependencies=[signed_in(KNOWN)])
def get_marquez_run(
    readers: From[Readers], caller: Caller, run_id: Name, asOf: AsOf = None
) -> MarquezRun | JobNamedRuns:
    """The newest run of a job, by its id alone; older runs are found with their job.

    Where no run has it, the job of that name in a namespace called `runs`, as `/jobs/{namespace}/{name}` gives it.
    """
    reader = readers.of(caller)
    node = reader.lineage.job_of_run(run_id)
    if node is not None:
        return newest_run(reader, node, run_id)
    try:
        return job_named_runs_of(reader.lineage.job(str(NodeId("job", "runs", run_id)), stamp(asOf)))
    except NotFound as error:
        raise no_run(run_id) from error
