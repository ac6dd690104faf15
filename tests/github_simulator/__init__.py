"""A stateful GitHub for tests and for the demo: in process, on a loopback port, as strict as the real one."""

from tests.github_simulator.faults import Fault
from tests.github_simulator.server import Request, Simulator
from tests.github_simulator.state import Artifact, ChangedFile, CheckRun, Comment, PullRequest, State

__all__ = ["Artifact", "ChangedFile", "CheckRun", "Comment", "Fault", "PullRequest", "Request", "Simulator", "State"]
