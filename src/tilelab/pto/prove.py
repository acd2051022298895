"""A program's verdict from one run: what ``search`` finds state by state, in linear time."""

from tilelab.pto.cluster import Cluster
from tilelab.pto.errors import Bad
from tilelab.pto.program import Program
from tilelab.pto.proof import Recorder, counter_example, prove
from tilelab.pto.search import HARMLESS, Verdict
from tilelab.pto.trace import Result
from tilelab.sim.errors import TilelabError


def once(program: Program) -> tuple[Cluster, Recorder, TilelabError | None]:
    """Run a program by turns with nothing but errors ending it; what ended it, if anything did."""
    recorder = Recorder()
    ran = program.once()(recorder)
    if ran.error and (ran.error.exit_code == 2 or ran.cluster is None):
        raise ran.error
    recorder.end()
    assert ran.cluster is not None
    return ran.cluster, recorder, ran.error


def judge(cluster: Cluster, recorder: Recorder, failed: TilelabError | None) -> Verdict:
    """What a run says of every order: each fault with an order that shows it."""
    result: Result = cluster.result()
    verdict = Verdict(states=len(result.raw), runs=1)
    ran = [core for core, _ in recorder.steps]
    if failed is not None:
        code = failed.code or "error"
        verdict.found.append(Bad(code, failed.summary, failed.detail, ran))
        return verdict
    for fault in prove(result, cluster).faults:
        order = counter_example(fault, cluster.core_names, recorder.steps)
        verdict.found.append(Bad(fault.code, fault.message, "", order))
    known = {bad.code for bad in verdict.found}
    for finding in result.findings:
        if finding.code not in (*HARMLESS, *known):
            verdict.found.append(Bad(finding.code, finding.message, "", ran))
    return verdict


def prove_program(program: Program) -> Verdict:
    """The verdict on a program; ``states`` is the number of its events."""
    return judge(*once(program))
