"""Every kind of verdict, through the whole analysis: one engine is broken in its worker, the others are as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest

from analyzer.configuration.config import TargetConfig, Thresholds
from analyzer.differential import analyse
from analyzer.differential.backend import Backend
from analyzer.differential.fresh import Ran
from analyzer.differential.pool import Pool, variables_for
from analyzer.differential.runner import Artefact
from analyzer.differential.transport import WORKER, EngineEnvironment, ProcessTransport
from analyzer.differential.verdict import Kind
from analyzer.findings import AnalysisResult, FailOn, Finding, Level
from analyzer.graph import Graph

# `code` changes what the engine gives: `found` maps tensors to arrays, `r` is what the Relu of the model makes.
BROKEN = """

import time
import numpy as np
from . import onnxruntime_engine as module

original = module.OnnxRuntime.evaluate
state, calls = np.zeros(3), []


def evaluate(self, feeds, fetches):
    found = original(self, feeds, fetches)
    whole, relu = fetches is None, fetches is not None and "r" in fetches
{code}
    return found


module.OnnxRuntime.evaluate = evaluate
module.OnnxRuntime.weights = lambda self: {{"w": state}}
main()
"""

Run = Callable[..., AnalysisResult]


class Watched(ProcessTransport):
    """The usual worker. How often it was asked for the whole model is counted, and there it gets `patience` seconds."""

    def __init__(self, environment: EngineEnvironment, patience: float | None) -> None:
        super().__init__("onnxruntime", environment)
        self.patience = patience
        self.wholes = 0

    def exchange(
        self, request: Mapping[str, Any], *, send: Sequence[str] = (), receive: Sequence[str] = (), deadline: float
    ) -> Any:
        if request["op"] == "evaluate" and all(case["fetches"] is None for case in request["cases"]):
            self.wholes += 1
            deadline = deadline if self.patience is None else self.patience
        return super().exchange(request, send=send, receive=receive, deadline=deadline)


@pytest.fixture
def run(healthy: Artefact, tmp_path: Path) -> Iterator[Run]:
    """Analyse the healthy model on an ONNX Runtime that is broken by `code`, and on one that is not."""
    pools = []

    def analysed(
        code: str,
        backends: tuple[str, ...] = (),
        patience: float | None = None,
        watched: list[Watched] | None = None,
    ) -> AnalysisResult:
        def connect(backend: Backend, _: Artefact) -> ProcessTransport | None:
            if backend.engine.name != "onnxruntime" or backend.knobs["opt"] != "all":
                return None
            transport = Watched(EngineEnvironment(variables=variables_for(backend)), patience)
            if watched is not None:
                watched.append(transport)
            main = transport.folder / WORKER / "__main__.py"
            text = main.read_text(encoding="utf-8").replace('if __name__ == "__main__":\n    main()\n', "")
            main.write_text(text + BROKEN.format(code=f"    {code}"), encoding="utf-8")
            return transport

        pools.append(Pool(connect=connect, deadline=120.0))
        path = healthy.files["healthy.onnx"]
        target = TargetConfig("model", path=path.name, backends=backends or ("onnxruntime", "onnxruntime:opt=disable"))
        return analyse(
            Graph(ir.load(path)), target, root=path.parent, output=tmp_path, thresholds=Thresholds(), pool=pools[-1],
            fresh=lambda *_: Ran(1, "as the broken engine would"),
        )  # fmt: skip

    yield analysed
    for pool in pools:
        pool.close()


def only(result: AnalysisResult, kind: Kind) -> Finding:
    assert len(result.findings) == 1, [f.message for f in result.findings]
    (finding,) = result.findings
    assert finding.rule == kind.rule, finding.message
    assert finding.evidence.data["backend"] == "onnxruntime"
    return finding


def test_a_value(run: Run) -> None:
    finding = only(run("found = {n: a * 1.5 if n == 'r' else a + whole * 0.1 for n, a in found.items()}"), Kind.VALUE)
    assert (finding.node, finding.op, finding.level) == ("relu", "Relu", Level.ERROR)
    assert finding.evidence.data["error"] == pytest.approx(0.5, rel=1e-4)


def test_nan(run: Run) -> None:
    finding = only(run("found = {n: a * np.nan if whole or n == 'r' else a for n, a in found.items()}"), Kind.NAN)
    assert (finding.node, finding.level) == ("relu", Level.ERROR)
    assert "NaN or infinity" in finding.message


def test_a_shape(run: Run) -> None:
    finding = only(run("found = {n: a[..., :-1] if whole or n == 'r' else a for n, a in found.items()}"), Kind.SHAPE)
    assert (finding.node, finding.level) == ("relu", Level.ERROR)


def test_an_element_type(run: Run) -> None:
    code = "found = {n: a.astype(np.int32) if whole or n == 'r' else a for n, a in found.items()}"
    finding = only(run(code), Kind.DTYPE)
    assert (finding.node, finding.level) == ("relu", Level.ERROR)


def test_a_crash_names_the_layer(run: Run) -> None:
    finding = only(run("if whole or relu: raise RuntimeError('kernel fell over')"), Kind.CRASH)
    assert (finding.node, finding.level) == ("relu", Level.ERROR)
    assert "kernel fell over" in finding.message
    assert finding.blocks(FailOn.CONFIRMED)


def test_out_of_memory_names_engine_layer_and_tensor(run: Run) -> None:
    found = run('if whole or relu: raise RuntimeError("Failed to allocate 96000000032 bytes of memory")')
    finding = only(found, Kind.MEMORY)
    assert finding.level is Level.WARNING
    assert "ONNX Runtime runs out of memory in `relu` (Relu), tensor `r`" in finding.message


def test_an_operator_that_is_not_supported_blocks_nothing(run: Run) -> None:
    finding = only(run("if whole or relu: raise NotImplementedError('no kernel')"), Kind.UNSUPPORTED)
    assert (finding.node, finding.level) == ("relu", Level.WARNING)
    assert not finding.blocks(FailOn.CONFIRMED)


def test_a_language_that_the_machine_lacks_is_no_crash(run: Run) -> None:
    said = "Failed to construct locale with name:en_US.UTF-8:locale::facet::_S_create_c_locale name not valid"
    assert not only(run(f"if whole or relu: raise RuntimeError({said!r})"), Kind.UNSUPPORTED).blocks(FailOn.CONFIRMED)


def test_a_timeout(run: Run) -> None:
    """No machine answers in two seconds what sleeps for ten minutes; and it is waited for once, not at every step."""
    watched: list[Watched] = []
    finding = only(run("if whole: time.sleep(600)", patience=2.0, watched=watched), Kind.TIMEOUT)
    assert finding.level is Level.WARNING
    assert "no answer in time" in finding.message
    assert [transport.wholes for transport in watched] == [1]


def test_a_drift_within_rounding_is_nondeterministic_and_nothing_else(run: Run) -> None:
    code = "calls.append(whole); found = {n: a * np.float32(1 + 3e-7 * sum(calls)) for n, a in found.items()}"
    assert only(run(code), Kind.NONDETERMINISTIC).level is Level.WARNING


def test_weights_that_inference_changes(run: Run) -> None:
    finding = only(run("if whole: state[0] += 1"), Kind.MUTATED)
    assert finding.level is Level.WARNING  # no script can show it for an ONNX file
    assert "No script shows it" in finding.evidence.sentences[-1]
    assert "changes the model's weights" in finding.message


def test_what_every_engine_gets_wrong(run: Run) -> None:
    result = run(
        "found = {n: a * 1.5 if n == 'r' else a + whole * 0.1 for n, a in found.items()}",
        ("onnxruntime", "onnxruntime:threads=1"),
    )
    assert {f.rule for f in result.findings} == {Kind.COMMON.rule}
    assert all(f.level is Level.WARNING and f.node == "relu" for f in result.findings)


def test_a_part_that_fails_alone_is_no_crash_of_the_model(run: Run) -> None:
    """The engine runs what the user runs; that it cannot run a layer cut out of it is a note."""
    fails = "if relu and len(fetches) == 1: raise RuntimeError('not alone')"
    result = run(f"{fails}\n    found = {{n: a + 0.1 for n, a in found.items()}}")
    assert Kind.CRASH.rule not in {f.rule for f in result.findings}
    assert any("cut out of it" in note for note in result.notes)


def test_an_error_that_hides_when_it_is_watched(run: Run) -> None:
    """Relu and Add are wrong as one kernel, and right as soon as the tensor between them is an output."""
    code = """
    after = {"a", "gap", "f", "logits", "y"}
    asked = set(found if whole else fetches)
    if asked & after and "r" not in asked and not set(feeds) & {"r", *after}:
        found = {n: v * 1.5 for n, v in found.items()}
    """.strip()
    result = run(code)
    finding = only(result, Kind.VALUE)
    assert finding.op == "Relu+Add"
    assert finding.level is Level.ERROR
    assert any("spliced" in sentence for sentence in finding.evidence.sentences)
    assert any("once its hidden tensors are marked as outputs" in note for note in result.notes)


def test_a_healthy_engine_has_no_verdict(run: Run) -> None:
    result = run("pass")
    assert result.findings == ()
    assert all("agrees" in sentence for sentence in result.backends)


def test_the_worker_of_one_model_serves_the_next(healthy: Artefact, pad_max: Artefact) -> None:
    """Importing a framework costs more than loading a file: the process stays, the model in it changes."""
    from analyzer.differential.backend import parse
    from analyzer.differential.runner import Runner

    with Pool() as pool:
        first = pool.get(parse("onnxruntime"), healthy)
        second = pool.get(parse("onnxruntime"), pad_max)
        assert isinstance(first, Runner)
        assert second is first
        assert isinstance(first.transport, ProcessTransport)
        assert first.transport.starts == 1
        assert first.description is not None
        assert "pool" in [o.name for o in first.description.operations]
        assert first.run({"x": np.ones((1, 3, 10, 10), np.float32)}).ok
        again = pool.get(parse("onnxruntime"), healthy)
        assert isinstance(again, Runner)
        assert again.run({"x": np.ones((1, 3, 9, 9), np.float32)}).ok
