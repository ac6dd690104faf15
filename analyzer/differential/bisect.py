"""Which pass, knob or version brings a deviation in, found on the reduced case."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources

from analyzer.differential.backend import Backend

Deviates = Callable[[Backend], bool | None]  # None: this variant does not run at all


@dataclass(frozen=True, slots=True)
class Culprit:
    """What has to be switched off, or the versions between which the behaviour changes."""

    kind: str  # "pass", "level", "knob", "version"
    name: str
    sentence: str


@functools.cache
def pass_names() -> tuple[str, ...]:
    """Registry names of ONNX Runtime's optimizers."""
    text = resources.files("analyzer.differential.data").joinpath("onnxruntime_passes.json").read_text("utf-8")
    return tuple(json.loads(text)["passes"])


def responsible_pass(backend: Backend, deviates: Deviates) -> Culprit | None:
    """The optimisation that brings the deviation in, when switching optimisation off cures it.

    For ONNX Runtime: the lowest level that deviates, then, by halving the list of passes, the one pass whose absence
    cures. For engines with other switches, the one that cures.
    """
    if backend.engine.name == "onnxruntime" and backend.knobs["opt"] != "disable":
        if deviates(backend.having(opt="disable")) is not False:
            return None
        found = _one_that_cures(pass_names(), lambda names: deviates(backend.having(disabled="+".join(names))))
        if found is not None:
            return Culprit("pass", found, f'the optimisation pass {found}: `disabled_optimizers=["{found}"]` cures it')
        level = next((x for x in ("basic", "extended", "all") if deviates(backend.having(opt=x))), "all")
        return Culprit("level", level, f"the optimisation level {level}: without optimisation the result is right")
    for knob, cure, words in (
        ("mode", {"compile": "eager", "xla": "function", "jit": "eager"}, "compilation"),
        ("jit", {"on": "off"}, "jit_compile"),
        ("grappler", {"on": "off"}, "the graph optimizer (grappler)"),
        ("mkldnn", {"on": "off"}, "oneDNN"),
        ("precision", {"default": "float32"}, "the precision that the engine chooses by itself"),
    ):
        value = backend.knobs.get(knob, "")
        if value in cure and deviates(backend.having(**{knob: cure[value]})) is False:
            stage = _compile_stage(backend, deviates) if value == "compile" else ""
            return Culprit("knob", f"{knob}={value}", f"{stage or words}: {knob}={cure[value]} cures it")
    return None


def _compile_stage(backend: Backend, deviates: Deviates) -> str:
    """torch.compile's stages: dynamo alone, then with the autograd tracer, then with Inductor."""
    for stage, words in (("eager", "Dynamo's capture"), ("aot_eager", "AOTAutograd"), ("inductor", "Inductor")):
        if deviates(backend.having(backend=stage)):
            return words
    return ""


def _one_that_cures(names: Sequence[str], deviates_without: Callable[[Sequence[str]], bool | None]) -> str | None:
    """The single name whose removal cures: halve as long as one half cures (log2(n) runs); None for several."""
    if deviates_without(names) is not False:
        return None
    candidates = list(names)
    while len(candidates) > 1:
        half = len(candidates) // 2
        if deviates_without(candidates[:half]) is False:
            candidates = candidates[:half]
        elif deviates_without(candidates[half:]) is False:
            candidates = candidates[half:]
        else:
            return None
    return candidates[0]


def version_range(versions: Sequence[str], deviates: Callable[[str], bool | None]) -> Culprit | None:
    """Where along `versions` (old to new) the deviation begins and ends.

    Every version is tried: a bug may come and go. Versions that do not run at all are left out and named.
    """
    states = [(version, deviates(version)) for version in versions]
    ran = [(v, s) for v, s in states if s is not None]
    if not any(s for _, s in ran):
        return None
    parts = []
    if all(s for _, s in ran):
        parts.append(f"every version tried ({', '.join(v for v, _ in ran)})")
    else:
        for (before, was), (after, now) in itertools.pairwise(ran):
            if was != now:
                parts.append(
                    f"comes in between {before} and {after}" if now else f"is gone from {after} (still in {before})"
                )
        affected = [v for v, s in ran if s]
        parts.insert(0, f"affected: {', '.join(affected)}")
    silent = [v for v, s in states if s is None]
    if silent:
        parts.append(f"did not run: {', '.join(silent)}")
    affected = [v for v, s in ran if s]
    return Culprit("version", f"{affected[0]}..{affected[-1]}", "; ".join(parts))
