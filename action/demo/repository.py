"""The demo repository: a main branch of sound models, and a pull request that breaks all of them but mends one.

Built from the twins below ``examples/``: ``<name>/fixed`` and ``<name>/broken`` both become ``<name>/`` in the
repository. Commits are the same every time (fixed author and dates).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from analyzer.problem import UsageProblem

BASE_BRANCH = "main"
HEAD_BRANCH = "faster-training"
MENDED = frozenset({"standardise"})  # broken on the main branch, mended by the pull request
CONFIGURATION = ".assay.yml"

README = """\
# Small models

Models of every kind that Assay reads, with their configuration in `.assay.yml`. The branch `{head}` changes one thing
in each of them.
"""


@dataclass(frozen=True, slots=True)
class DemoRepository:
    """A git repository with two branches; `base` and `head` are the commits they point to."""

    path: Path
    base: str
    head: str
    base_branch: str = BASE_BRANCH
    head_branch: str = HEAD_BRANCH


def example_names(examples: Path) -> tuple[str, ...]:
    """The examples below `examples`: folders with both twins. Raises `UsageProblem` if there is none."""
    found = tuple(sorted(path.parent.name for path in examples.glob("*/fixed") if path.with_name("broken").is_dir()))
    if not found:
        raise UsageProblem(f"{str(examples)!r} holds no examples; name the folder `examples` of Assay's repository")
    return found


def build_repository(examples: Path, target: Path) -> DemoRepository:
    """Make the repository in the folder `target`, which must be empty or absent; the head branch is checked out.

    Raises `UsageProblem` when `target` is in use, there are no examples, or git is missing.
    """
    names = example_names(examples)
    if target.exists() and any(target.iterdir()):
        raise UsageProblem(f"{str(target)!r} is not empty; name another folder for the demo repository")
    target.mkdir(parents=True, exist_ok=True)
    _git(target, "init", "--quiet", f"--initial-branch={BASE_BRANCH}")
    (target / "README.md").write_text(README.format(head=HEAD_BRANCH), encoding="utf-8")
    shutil.copyfile(examples / CONFIGURATION, target / CONFIGURATION)
    _place(examples, target, {name: "broken" if name in MENDED else "fixed" for name in names})
    base = _commit(target, "Models as they are in production", "2026-01-05T09:00:00Z")
    _git(target, "checkout", "--quiet", "-b", HEAD_BRANCH)
    _place(examples, target, {name: "fixed" if name in MENDED else "broken" for name in names})
    head = _commit(target, "Simplify the losses, shrink the features, export again", "2026-01-06T16:30:00Z")
    return DemoRepository(target, base, head)


def _place(examples: Path, target: Path, twins: dict[str, str]) -> None:
    for name, twin in twins.items():
        shutil.rmtree(target / name, ignore_errors=True)
        # Contents only: twins of one size that kept one time stamp would look unchanged to git's index.
        shutil.copytree(
            examples / name / twin,
            target / name,
            ignore=shutil.ignore_patterns("__pycache__"),
            copy_function=shutil.copyfile,
        )


def _commit(repository: Path, message: str, date: str) -> str:
    _git(repository, "add", "--all")
    _git(repository, "commit", "--quiet", "--message", message, date=date)
    return _git(repository, "rev-parse", "HEAD").strip()


def _git(repository: Path, *arguments: str, date: str | None = None) -> str:
    """Run git untouched by the user's own configuration."""
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(repository),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ada Example",
        "GIT_AUTHOR_EMAIL": "ada@example.com",
        "GIT_COMMITTER_NAME": "Ada Example",
        "GIT_COMMITTER_EMAIL": "ada@example.com",
    }
    if date is not None:
        environment |= {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    try:
        completed = subprocess.run(
            ["git", *arguments], cwd=repository, env=environment, capture_output=True, text=True, check=True
        )
    except FileNotFoundError as error:
        raise UsageProblem("the demo needs git; install it and run again") from error
    except subprocess.CalledProcessError as error:
        raise UsageProblem(f"git {arguments[0]} failed: {error.stderr.strip().splitlines()[-1:]}") from error
    return completed.stdout
