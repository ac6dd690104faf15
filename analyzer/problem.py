"""The exceptions that a user may see. Each carries one clear sentence: what is wrong, where, and how to mend it."""

from __future__ import annotations


class Problem(Exception):
    """Something that the user can mend. `str(problem)` is the sentence; no traceback reaches the user."""


class UsageProblem(Problem):
    """The command line or the configuration is wrong: exit code 2."""


class TargetProblem(Problem):
    """One target cannot be loaded, exported or analysed: exit code 3, the other targets go on."""


class SurroundingsProblem(TargetProblem):
    """The machine, its container engine or a network refused something: no doing of the model or of its code."""


class NotAllowedProblem(TargetProblem):
    """What this run may do does not suffice: the project's code may not run here."""
