"""What is installed against what Assay needs: the sentence for an import that fails.

Nothing is imported here but the standard library (`packaging` when something has failed), and
nothing is looked up before.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from traceback import walk_tb

from analyzer.problem import UsageProblem

ASSAY = "assay-action"
OWN = ("analyzer", "action")  # import names of Assay itself


@dataclass(frozen=True, slots=True)
class Misfit:
    """A package that is missing (`found` is None), or present in a version outside of `needed`.

    `by` is the distribution whose metadata ask for it; `needed` a requirement as pip reads it, ``protobuf<8,>=5``.
    """

    name: str
    found: str | None
    needed: str
    by: str
    place: str = ""

    def __str__(self) -> str:
        who = "Assay" if self.by == ASSAY else f"{self.by}, which Assay uses,"
        if self.found is None:
            return f"{self.name} is not installed, but {who} needs {self.needed}"
        where = f" in {self.place}" if self.place else ""
        return f"{self.name} {self.found} is installed{where}, but {who} needs {self.needed}"


def explained(error: BaseException) -> str | None:
    """One sentence on an import that has failed: which package, what was found, what Assay needs, how to mend it.

    None for what is no failed import, or is no fault of the packages that are installed.
    """
    module = _failed_import(error)
    if module is None:
        return None
    try:
        found = tuple(misfits())
    except ImportError as missing:  # `packaging`, which reads requirements
        return f"the package {missing.name} cannot be imported; {_mend([str(missing.name)])}."
    except metadata.PackageNotFoundError:
        return (
            f"{module} cannot be imported ({_cause(error)}), and this Assay is not installed as a package; "
            f"{_mend([ASSAY])}."
        )
    if found:
        return f"{'; '.join(map(str, found))}; {_mend([misfit.needed for misfit in found])}."
    if module in OWN:
        return None
    return (
        f"{module}, which Assay uses, is installed in a version that fits, but cannot be imported ({_cause(error)}); "
        f"{_mend(['--force-reinstall', ASSAY])}."
    )


def as_problem(error: BaseException) -> BaseException:
    """`error`, or the `UsageProblem` with the sentence of `explained`."""
    sentence = explained(error)
    return error if sentence is None else UsageProblem(sentence)


def misfits(root: str = ASSAY, found: Callable[[str], metadata.Distribution] | None = None) -> Iterator[Misfit]:
    """What `root` needs and what that needs in turn, without extras, as far as it is not there in a version that fits.

    Each package is named once, by the requirement nearest to `root`. Raises `metadata.PackageNotFoundError` where
    `root` itself is not installed, and ImportError where `packaging` is missing.
    """
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.utils import canonicalize_name
    from packaging.version import InvalidVersion, Version

    look = found or metadata.distribution
    told: set[str] = set()
    walked = {canonicalize_name(root)}
    waiting = deque([(root, look(root))])
    while waiting:
        by, distribution = waiting.popleft()
        for line in distribution.requires or ():
            try:
                requirement = Requirement(line)
                if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
                    continue
            except (InvalidRequirement, KeyError):  # another package's mistake, which pip would say
                continue
            name = canonicalize_name(requirement.name)
            needed = f"{requirement.name}{requirement.specifier}"
            try:
                present = look(requirement.name)
            except metadata.PackageNotFoundError:
                if name not in told:
                    told.add(name)
                    yield Misfit(requirement.name, None, needed, by)
                continue
            try:
                fits = requirement.specifier.contains(Version(present.version), prereleases=True)
            except (InvalidVersion, TypeError):  # a version that nobody can compare
                fits = True
            if not fits and name not in told:
                told.add(name)
                yield Misfit(requirement.name, present.version, needed, by, str(present.locate_file("")))
            if name not in walked:
                walked.add(name)
                waiting.append((requirement.name, present))


def _failed_import(error: BaseException) -> str | None:
    """The module whose import failed: the first foreign one that was being executed, or the one not to be found."""
    executed = [
        str(frame.f_globals.get("__name__", "")).partition(".")[0]
        for frame, _ in walk_tb(error.__traceback__)
        if frame.f_code.co_name == "<module>"
    ]
    foreign = [name for name in executed if name not in (*OWN, "__main__")]
    if foreign:
        return foreign[0]
    if isinstance(error, ImportError):
        return (error.name or "").partition(".")[0] or "a package"
    return None


def _cause(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def _mend(arguments: Iterable[str]) -> str:
    """The command; an environment of its own helps where another package pins what Assay cannot use."""
    quoted = " ".join(f"'{each}'" if set("<>!*; ") & set(each) else each for each in arguments)
    return (
        f"`{sys.executable or 'python'} -m pip install {quoted}` mends it, or, where another package here needs that "
        f"version, `pipx install {ASSAY}` in an environment of its own"
    )
