"""`python -m action.contained_selection`: which models a change touches, found inside a container or a walled process.

Finding models reads every file of both revisions, so it is done behind the wall; what comes back are names, and the
front gives them the configuration that it has read itself. See `analyzer.running.contained` for the other program.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

from action.allowed import Chosen
from action.question import Question
from action.selection import choose, installed_from_base
from analyzer.problem import Problem
from analyzer.running.keys import keys_of
from analyzer.running.request import REQUEST
from analyzer.walls.relayed import TREES, answer_with, standard_streams


def main() -> None:
    channel = standard_streams()
    question: Question = pickle.loads(Path(REQUEST).read_bytes())  # written by the front, in a folder that is read-only
    answer_with(channel, lambda: _answer(question))


def _answer(question: Question) -> dict[str, Any]:
    head, base = _tree(question, "head"), _tree(question, "base") if question.based else None
    try:
        chosen = choose(
            question.plan, question.settings, question.judging, head, base, question.exported, question.opened
        )
    except Problem as problem:
        return {"problem": str(problem)}
    return _as_json(chosen, head, base, base if installed_from_base(question.plan) else None)


def _tree(question: Question, name: str) -> Path:
    return Path(question.places[name]) if question.places else TREES / name


def _as_json(chosen: Chosen, head: Path, base: Path | None, installed_from: Path | None) -> dict[str, Any]:
    sides = {"head": head} | ({"base": base} if base is not None else {})
    keys = keys_of(chosen.targets, chosen.config, sides, installed_from)
    return {
        "targets": [{"id": t.id, "path": t.path, "entry": t.entry} for t in chosen.targets],
        "skipped": [{"id": r.id, "kind": r.kind, "path": r.path, "error": r.error} for r in chosen.skipped],
        "notes": list(chosen.notes),
        "total": chosen.total,
        "keys": [[side, identity, *pair] for (side, identity), pair in keys.items()],
    }


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.exit(70)
