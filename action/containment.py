"""The action's walls: which container everything that reads the pull request runs in, or why there is none."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from action.allowed import Chosen, adjusted
from action.base_policy import Judged
from action.checkout import Exported
from action.plan import Plan
from action.settings import Settings
from analyzer.configuration.config import TargetConfig
from analyzer.findings import Status, TargetReport
from analyzer.problem import Problem, TargetProblem, UsageProblem
from analyzer.selecting.revisions import is_proper
from analyzer.walls.launch import standing

if TYPE_CHECKING:
    from analyzer.running.containers import Containers
    from analyzer.running.opened import Opened
    from analyzer.running.outcome import Keys
    from analyzer.walls import Sandbox
    from analyzer.walls.engines import EnginesImage

SECONDS = 900.0  # for finding the models of two revisions: thousands of files
ANSWER_LIMIT = 16 << 20  # bytes: what a container answers is untrusted
MOST_TARGETS = 5_000  # of one pull request
_KEY = re.compile(r"[0-9a-f]{64}")


@contextlib.contextmanager
def in_containers(
    trees: Mapping[str, Path], code: Sandbox | None, engines: EnginesImage | None = None
) -> Iterator[tuple[Containers | None, str | None]]:
    """Containers of Assay's own image with the trees mounted; or None, with a sentence that says why there are none."""
    from analyzer.running.containers import containers
    from analyzer.walls.docker import DockerSandbox
    from analyzer.walls.docker_engine import connect
    from analyzer.walls.engines import EnginesImage

    engines = engines or EnginesImage()

    with contextlib.ExitStack() as stack:
        try:
            with contextlib.closing(connect()) as client:
                image = engines.own(client)
            opened = stack.enter_context(containers(DockerSandbox(image), trees, code, engines))
        except TargetProblem as problem:
            yield None, str(problem).rstrip(".")
        else:
            yield opened, None


def require_kernel_wall(why: str) -> None:
    """Raises Problem where neither wall can stand; `why` says why there are no containers."""
    obstacle = standing()
    if obstacle is not None:
        raise Problem(
            f"Nothing was analysed, for nothing of a pull request is read without a wall: {why}, and the kernel's own "
            f"wall cannot stand here: {obstacle}."
        )


def select(
    contained: Containers,
    plan: Plan,
    settings: Settings,
    judging: Judged,
    exported: Exported,
    opened: Opened | None = None,
) -> Chosen:
    """The targets of a run, found in a container. Raises UsageProblem as `selection.choose` does, and Problem."""
    import pickle

    from action.question import Question
    from analyzer.running.containers import limits
    from analyzer.running.request import REQUEST
    from analyzer.walls import PYTHON, SessionEnded
    from analyzer.walls.serving import OutOfTurn, Server

    given = replace(settings, token="")
    question = Question(plan, given, judging, exported, "base" in contained.trees, opened=opened or {})
    session = contained.sandbox.open(
        [PYTHON, "-I", "-m", "action.contained_selection"], files={REQUEST: pickle.dumps(question)}, limits=limits()
    )
    ends = time.monotonic() + SECONDS
    try:
        with Server(session, None, contained.trees, None, contained.trees["head"], ends) as server:
            _, answer = server.answer(ANSWER_LIMIT)
    except TimeoutError:
        raise Problem(f"Finding the changed models took longer than {SECONDS:g} s and was stopped.") from None
    except (SessionEnded, OutOfTurn) as broken:
        raise Problem(f"The container that finds the changed models {broken}.") from None
    finally:
        session.close()
    try:
        chosen = chosen_of(json.loads(answer), plan, settings, judging)
        return replace(chosen, keys=with_engines(chosen.keys, contained.engines))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise Problem(
            f"The container that finds the changed models gave an improper answer ({type(problem).__name__})."
        ) from None


def with_engines(keys: Keys | None, engines: EnginesImage | None) -> Keys | None:
    """The keys of the cache bound to the image with the engines, which the selection's own image does not have."""
    if keys is None or engines is None:
        return keys
    bound = {}
    for place, (key, entry) in keys.items():
        bound[place] = key, entry and hashlib.sha256(f"{entry} {engines.identity}".encode()).hexdigest()
    return bound


def chosen_of(data: Any, plan: Plan, settings: Settings, judging: Judged) -> Chosen:
    """What a container found, with the configuration that the front has read itself.

    A target is one of the configuration's, or a file of the repository without any configuration. Raises UsageProblem
    with the container's sentence, ValueError and the like for what is no proper answer.
    """
    if "problem" in data:
        raise UsageProblem(_text(data["problem"]))
    configured = {target.id: target for target in judging.config.targets}
    targets = []
    for item in _few(data["targets"]):
        known = configured.get(_text(item["id"]))
        if known is not None and (known.path, known.entry) == (item["path"], item["entry"]):
            targets.append(adjusted(known, plan, settings))
        else:
            found = TargetConfig(id=_text(item["id"]), path=_path(item["path"]), entry=_path(item["entry"]))
            if bool(found.path) == bool(found.entry) or found.id in configured:
                raise ValueError("a target that is none")
            targets.append(adjusted(found, plan, settings))
    if len({target.id for target in targets}) != len(targets):
        raise ValueError("two targets of one name")
    skipped = [
        TargetReport(_text(r["id"]), _text(r["kind"]), _text(r["path"]), status=Status.SKIPPED, error=_text(r["error"]))
        for r in _few(data["skipped"])
    ]
    keys = {(_text(side), _text(identity)): (_key(key), _key(entry)) for side, identity, key, entry in data["keys"]}
    notes = tuple(_text(note) for note in _few(data["notes"]))
    return Chosen(judging.config, tuple(targets), tuple(skipped), notes, int(data["total"]), judging, keys)


def _few(items: Any) -> list[Any]:
    if not isinstance(items, list) or len(items) > MOST_TARGETS:
        raise ValueError("too many")
    return items


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > 8_000:
        raise ValueError("no text")
    return value


def _path(value: Any) -> str | None:
    if value is not None and not is_proper(_text(value).partition(".py:")[0]):
        raise ValueError("no path of the repository")
    return None if value is None else str(value)


def _key(value: Any) -> str | None:
    if value is not None and not _KEY.fullmatch(_text(value)):
        raise ValueError("no hash")
    return None if value is None else str(value)
