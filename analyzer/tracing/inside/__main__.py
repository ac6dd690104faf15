"""Run the script as it stands: its failure, or its end, is the truth. Where that comes to neither in its time, or lacks
something, run it on tensors that cost nothing, then on real ones where a value was invented or a failure is to be
confirmed, with its loops and loaders cut short and with stand-ins for what is not here. ``out/dry.json`` says what came
of it."""

from __future__ import annotations

import json
import os
import re
import sys

from .attempts import KILLED, NEEDS_VALUES, TOO_LARGE, TOO_LONG, attempt, make, write
from .clock import Budget
from .conflicts import conflict, of_ranks
from .fits import RANKS, fitted

RESULT = os.path.abspath(os.path.join("out", "dry.json"))  # the script runs in another folder
PLAIN_SECONDS = 20.0  # of a run as it stands
SHAPES_SECONDS = 20.0  # for the shapes on the lines of a script that comes to its end
MOST_FITS = 6  # sizes of what is made up that a program asks for, one after the other
MADE_UP = "%s: with what is made up for that it fails, and it may be for that"
LAUNCHER = re.compile(r"the environment variable '(RANK|(LOCAL_)?WORLD_SIZE|LOCAL_RANK|MASTER_\w+)'")


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    if "mode" in request:
        make(request)
        return
    budget = Budget(request["seconds"], request["wall"])
    plain = attempt(request, "plain", min(PLAIN_SECONDS, request["seconds"] / 4), budget)
    attempts = [plain]

    def tried(mode: str, seconds: float = request["seconds"], varied: bool = False) -> dict:  # type: ignore[type-arg]
        attempts.append(attempt(request, mode, seconds, budget, varied))
        return attempts[-1]

    result = _by_itself(plain)
    if result is None:
        result = _dry(request, plain, tried)
    elif result["status"] == "finished":
        write(result, RESULT)  # and if the next attempt takes the memory of all, this stays
        result = dict(tried("fake", SHAPES_SECONDS), **_settled(result))
    result["attempts"] = [
        {"mode": "varied" if a.get("varied") else a["mode"], "ms": round(1000 * a.get("seconds", 0.0))}
        for a in attempts
    ]
    write(result, RESULT)


def _by_itself(plain: dict) -> dict | None:  # type: ignore[type-arg]
    """What the run as it stands settles; None where others have to follow."""
    if plain["status"] == "failed" and not plain["doubt"] and not plain["passed_on"]:
        return dict(plain, as_it_stands=True)
    return dict(plain, whole=True) if plain["status"] == "finished" else None


def _settled(result: dict) -> dict:  # type: ignore[type-arg]
    """Of a run to the end what no other attempt changes."""
    return {name: result.get(name) for name in ("status", "whole", "stubs", "data", "reason")}


def _dry(request: dict, plain: dict, tried) -> dict:  # type: ignore[type-arg,no-untyped-def]
    result = fake = tried("fake")
    if LAUNCHER.search(result.get("reason") or ""):  # it is started by a launcher, as one of several processes
        request["launched"] = True
        result = fake = tried("fake")
    if result.get("optional") and result["status"] in ("unreachable", NEEDS_VALUES) and not result.get("steps"):
        request["filled"] = True
        result = _further(result, tried("fake"))
        fake, request["filled"] = result, result.get("filled", False)
    judged: dict  # type: ignore[type-arg]
    result, varied, judged = _in_every_rank(request, result, tried)
    fake = result
    if judged["status"] != "failed" and _settled_by_what_is_made_up(result, varied):
        return judged  # else operators on real tensors may name the sizes in conflict
    if result["status"] == "finished":
        write(result, RESULT)
    if result.get("fake") and (result["status"] in ("failed", NEEDS_VALUES) or result.get("decided")):
        result = _compared(result, tried("real"))
    if result["status"] != "failed":
        write(result, RESULT)
    judged = _as_it_stands(result, plain)
    if judged["status"] == "failed" and plain["status"] != "failed" and (judged.get("cut") or judged.get("invented")):
        same = fake["status"] == "failed" and fake["error"] == judged["error"]
        if varied is None or not same:
            varied = tried("fake" if same else "real", varied=True)
        judged = _however_much(judged, varied)
    return judged


def _in_every_rank(request: dict, result: dict, tried) -> tuple:  # type: ignore[type-arg,no-untyped-def]
    """What `_with_fits` says for the first rank of arrays that are not here for which the script does a step.

    Where it does none, that of the rank that comes furthest; its failure counts if each other one fails in the same
    way or before it.
    """
    mode = "fake"
    if result.get("arrays") and result["status"] == NEEDS_VALUES:
        mode, result = "real", tried("real")
    found = _with_fits(request, result, tried, mode)
    if not found[0].get("arrays"):
        return found
    every = [(found, dict(request.get("fits", {})), RANKS[0], True)]

    def further(rank: int, labels: bool) -> bool:
        request.update(rank=rank, labels=labels, fits={})
        found = _with_fits(request, tried(mode), tried, mode)
        every.append((found, dict(request["fits"]), rank, labels))
        return _does_a_step(found[0])

    if _does_a_step(found[0]) or any(further(rank, True) for rank in RANKS[1:]):
        return every[-1][0]
    best = max(reversed(every), key=lambda e: _reached(e[0][0]))
    if best[0][0].get("labelled") and further(best[2], False):  # labels may be rows of numbers too
        return every[-1][0]
    (result, varied, judged), request["fits"], request["rank"], request["labels"] = best
    if judged["status"] == "failed" and not all(_before(e[0][0], result) for e in every if e is not best):
        judged = dict(judged, status="unreachable", reason=MADE_UP % ", ".join(result["invented"][:4]))
    return result, varied, judged


def _settled_by_what_is_made_up(result: dict, varied: dict | None) -> bool:  # type: ignore[type-arg]
    """Whether no other attempt says more of a failure that hangs on it."""
    if varied is None:
        return bool(result.get("arrays")) and result["status"] not in ("failed", "finished")
    if result.get("arrays") or varied["status"] != "failed" or _place(result) != _place(varied):
        return True
    return conflict(result["error"]["message"]) is not None


def _does_a_step(result: dict) -> bool:  # type: ignore[type-arg]
    return result["status"] == "finished" and bool(result["steps"])


def _reached(result: dict) -> tuple[int, int, int]:  # type: ignore[type-arg]
    """How far an attempt came: steps, batches, lines."""
    lines = sum(len(of_file) for of_file in result.get("shapes", {}).values())
    return result.get("steps", 0), result.get("batches", 0), lines


def _before(other: dict, result: dict) -> bool:  # type: ignore[type-arg]
    """Whether an attempt ended before another one, or by the same failure, and not for want of time or memory."""
    if (other.get("reason") or "").startswith((TOO_LONG, TOO_LARGE, KILLED)):
        return False
    if _reached(other) < _reached(result):
        return True
    return other["status"] == "failed" and (
        _place(other) == _place(result) and conflict(other["error"]["message"]) == conflict(result["error"]["message"])
    )


def _with_fits(request: dict, result: dict, tried, mode: str) -> tuple:  # type: ignore[type-arg,no-untyped-def]
    """An attempt, the varied one where the first one failed with something made up, and what both say; sizes that the
    program asks for are fitted."""
    for more in range(MOST_FITS, -1, -1):
        if result["status"] != "failed" or not result["invented"]:
            break
        varied = tried(mode, varied=True)
        judged = _however_much(result, varied)
        wanted = fitted(result, varied) if more and judged["status"] != "failed" else {}
        if not wanted:
            return result, varied, judged
        request["fits"] = {**request.get("fits", {}), **wanted}
        result = tried(mode)
    return result, None, result


def _further(without: dict, filled: dict) -> dict:  # type: ignore[type-arg]
    """Of two attempts, without and with the arguments that may stay None, the one that comes further."""
    return dict(filled, filled=True) if filled["status"] in ("failed", "finished") else without


def _compared(fake: dict, real: dict) -> dict:  # type: ignore[type-arg]
    """What two attempts say together: only the real one may find that an alleged failure is none."""
    if real["status"] in ("failed", "finished"):
        return real
    cut_short = real.get("reason", TOO_LONG) == TOO_LONG
    if fake["status"] == "finished" and (cut_short or real["reason"].startswith((KILLED, TOO_LARGE))):
        return fake
    if fake["status"] == "failed" and not fake["made_up"] and cut_short:  # what C code makes of a number nobody sees
        return fake
    return dict(real, status="unreachable", reason=real.get("reason") or fake.get("reason"))


def _as_it_stands(dry: dict, plain: dict) -> dict:  # type: ignore[type-arg]
    """What the run as it stands, which did not settle it, adds.

    A failure of the dry run alone counts if nothing that was left out has a part in it. One that a compiler or another
    process passes on is told as the dry run met it, on the line where it arose; what only the other process met may
    be for want of what a sandbox lacks, such as a port.
    """
    if plain["status"] == "failed" and not plain["doubt"]:
        passed_on = dry["status"] == "failed" and dry["error"]["message"] in plain["text"]
        if passed_on or not plain["passed_on"]:
            return dict(dry, status="failed", error=dry["error"] if passed_on else plain["error"])
    if dry["status"] == "failed" and dry.get("doubt"):
        return dict(dry, status="unreachable", reason=dry["doubt"])
    return dry


def _however_much(dry: dict, varied: dict) -> dict:  # type: ignore[type-arg]
    """A failure behind rounds or batches that were left out, or of what was made up, counts if it is the same where
    fewer are, and other numbers are made up: the message names the numbers that it is about then, or the sizes in
    conflict are known and are the same, whatever else it names. Where the contents of files are made up only the latter
    counts."""
    if varied["status"] == "failed" and _place(varied) == _place(dry):
        message, other = dry["error"]["message"], varied["error"]["message"]
        sizes = conflict(message)
        if dry.get("arrays") and of_ranks(message):
            sizes = None  # nobody says how many axes an array has that is not here
        if sizes is not None and sizes == conflict(other):
            return dry
        numbers = not dry.get("invented") or re.search(r"\d", message)
        if not dry.get("contents") and message == other and numbers:
            return dry
    reason = "what is left out here: batches, or rounds of a loop"
    if dry.get("invented"):
        place = f"{dry['error']['path']}:{dry['error']['line']}"
        reason = (
            f"{', '.join(dry['invented'][:4])}: with what is made up for that, {place} fails, and it may be for that"
        )
    return dict(dry, status="unreachable", reason=reason)


def _place(result: dict) -> tuple[str, str, int, tuple[str, ...]]:  # type: ignore[type-arg]
    error = result["error"]
    return error["type"], error["path"], error["line"], tuple(f"{f['path']}:{f['line']}" for f in error["frames"])


main()
