"""Names of backends, verdicts of workers, versions and passes: everything before numbers are compared."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import helper

from analyzer.differential.backend import ALIASES, ENGINES, parse, parse_all
from analyzer.differential.bisect import pass_names, responsible_pass, version_range
from analyzer.differential.container import death
from analyzer.differential.environments import Overlays
from analyzer.differential.plan import families, further_backends
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.sentences import sentences
from analyzer.differential.study import Study
from analyzer.differential.transport import EngineEnvironment, EngineFailed, ProcessTransport
from analyzer.differential.verdict import Failure, Kind
from analyzer.differential.worker import tensors
from analyzer.problem import UsageProblem
from analyzer.walls import SessionEnded


def test_names_survive_a_round_trip() -> None:
    for text in ("onnxruntime@1.20.1:disabled=Pad_Fusion:opt=basic", "keras-torch", "torch:mode=compile", "xla"):
        assert parse(parse(text).name) == parse(text)
    assert parse("onnxruntime:opt=disable").knobs["opt"] == "disable"
    widths = {name: parse(name).knobs.get("precision") for name in ENGINES if name != "tflite"}
    assert set(widths.values()) == {"float32"}, "precision is always explicit, but where a file alone decides"


def test_the_page_names_every_engine_and_knob() -> None:
    page = Path(__file__).parents[2].joinpath("docs", "differential.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    for name, engine in ENGINES.items():
        (row,) = [r for r in rows if f"`{name}`" in r.split("|")[1]]
        for knob, values in engine.knobs.items():
            assert f"`{knob}`" in row, f"{name}: {knob}"
            assert all(value in row for value in values if knob != "device"), f"{name}: {knob}"
    assert all(f"`{alias}`" in page for alias in ALIASES if alias not in ("onnx.reference", "keras-tf"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tensorrt", "no backend called 'tensorrt'"),
        ("onnxruntime:level=9", "not a knob of ONNX Runtime"),
        ("onnxruntime:opt=fast", "must be one of all, disable"),
        ("onnxruntime@newest", "not a version"),
        ("onnxruntime@1;rm", "not a version"),
        ("torch:threads=many", "must be a number"),
    ],
)
def test_bad_names_say_what_there_is(text: str, words: str) -> None:
    with pytest.raises(UsageProblem, match=words):
        parse(text)


def test_versions_multiply_backends_that_have_none() -> None:
    names = [b.name for b in parse_all(["onnxruntime", "reference@1.18.0"], ["1.20.1"])]
    assert names == ["onnxruntime", "onnxruntime@1.20.1", "reference@1.18.0"]


def test_a_version_of_one_package_is_that_engines_alone() -> None:
    names = [b.name for b in parse_all(["onnxruntime:opt=basic", "torch"], ["onnxruntime==1.20.1", "openvino==2025.3"])]
    assert names == [
        "onnxruntime:opt=basic",
        "onnxruntime@1.20.1:opt=basic",
        "torch",
        "openvino",
        "openvino@2025.3",
    ]
    keras = [b.name for b in parse_all(["keras-jax", "keras-torch"], ["keras==3.14.1"])]
    assert keras == ["keras-jax", "keras-jax@3.14.1", "keras-torch", "keras-torch@3.14.1"]
    with pytest.raises(UsageProblem, match="no engine of that package"):
        parse_all(["torch"], ["onnxruntim==1.20.1"])
    onnx = {"onnx": Artefact("onnx", {})}
    with pytest.raises(UsageProblem, match="takes no model of this kind"):
        families(None, onnx, ["keras==3.14.1"])


def test_further_engines_are_chosen_by_what_they_cost() -> None:
    kinds = {"onnx": Artefact("onnx", {}), "torch-entry": Artefact("torch-entry", {})}
    small, large = further_backends(kinds, 10), further_backends(kinds, 200)
    assert "openvino" in small
    assert "openvino" in large
    assert "torch:mode=compile" not in large
    (family,) = families(None, kinds, nodes=10)
    assert family.further == frozenset(small)
    assert families(None, kinds)[0].further == frozenset()
    assert families(["torch"], kinds, nodes=10)[0].further == frozenset()


def test_small_keras_models_run_on_openvino_and_as_a_user_calls_them() -> None:
    kinds = {"keras": Artefact("keras", {})}
    plain = "keras-tensorflow:call=plain"
    assert further_backends(kinds, 20) == [plain, "keras-openvino"]
    assert further_backends(kinds, 400) == [plain]


def test_families_keep_to_what_the_engines_can_load(healthy: Artefact) -> None:
    (family,) = families(["onnxruntime", "keras-torch", "openvino"], {"onnx": healthy})
    assert [b.name for b in family.backends] == ["onnxruntime", "openvino"]
    assert family.oracle.name == "reference:precision=float64"


def test_arrays_survive_the_disk(tmp_path: Path) -> None:
    import ml_dtypes

    arrays = {
        "f": np.arange(6, dtype=np.float16).reshape(2, 3),
        "empty": np.zeros((0, 3), np.int64),
        "scalar": np.array(True),
        "text": np.array([["a", "é"]], dtype=object),
        "brain": np.array([1.5, -2.0]).astype(ml_dtypes.bfloat16),
    }
    manifest = tensors.write(tmp_path / "a", arrays)
    found = tensors.read(tmp_path / "a", manifest)
    for name in ("f", "empty", "scalar", "text"):
        assert found[name].dtype == arrays[name].dtype
        np.testing.assert_array_equal(found[name], arrays[name])
    assert manifest["brain"]["logical"] == "bfloat16"
    np.testing.assert_array_equal(found["brain"], np.array([1.5, -2.0], np.float32))


@pytest.mark.parametrize("change", [{"offset": 10**9}, {"offset": -64}, {"shape": [10**9]}, {"dtype": "|O"}])
def test_a_lying_manifest_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    manifest = tensors.write(tmp_path / "a", {"x": np.arange(4.0)})
    manifest["x"] |= change
    with pytest.raises(ValueError):
        tensors.read(tmp_path / "a", manifest)


def test_a_missing_gpu_is_a_verdict(healthy: Artefact) -> None:
    """The engine's own refusal: this build of ONNX Runtime has no CUDA provider, or there is a GPU and it runs."""
    import onnxruntime

    with Pool() as own:
        runner = own.get(parse("onnxruntime:device=cuda"), healthy)
        if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
            assert isinstance(runner, Runner)
        else:
            assert isinstance(runner, Failure)
            assert runner.kind is Kind.MISSING
            assert "no CUDAExecutionProvider" in runner.message


def test_a_crash_is_a_verdict_and_the_worker_starts_again(healthy: Artefact, pool: Pool) -> None:
    runner = pool.get(parse("onnxruntime:opt=basic"), healthy)
    assert isinstance(runner, Runner)
    transport = runner.transport
    assert isinstance(transport, ProcessTransport)
    feeds = {"x": np.ones((1, 3, 9, 9), np.float32)}
    before = runner.run(feeds)
    with pytest.raises(EngineFailed) as failed:
        transport.exchange({"op": "exit"}, deadline=10)
    assert failed.value.failure.kind is Kind.CRASH
    after = runner.run(feeds)
    assert after.ok, "the model is loaded again"
    np.testing.assert_array_equal(before.arrays["y"], after.arrays["y"])


def test_a_timeout_is_a_verdict(healthy: Artefact) -> None:
    transport = ProcessTransport("onnxruntime", EngineEnvironment())
    try:
        runner = Runner(parse("onnxruntime"), transport, deadline=0.001)
        with pytest.raises(EngineFailed) as failed:
            runner.load(healthy)
        assert failed.value.failure.kind is Kind.TIMEOUT
    finally:
        transport.close()
    assert not transport.folder.exists()


def test_too_much_memory_is_a_verdict(healthy: Artefact) -> None:
    """Any worker that has loaded NumPy holds more than a MiB; it is measured while an answer is waited for."""
    transport = ProcessTransport("onnxruntime", EngineEnvironment(variables={"ASSAY_TEST": "1"}), memory=1 << 20)
    slow = transport.folder / "assay_worker" / "__main__.py"
    slow.write_text("import time, numpy\ntime.sleep(60)\n")
    try:
        with pytest.raises(EngineFailed, match="GiB of memory"):
            Runner(parse("onnxruntime"), transport, deadline=60).load(healthy)
    finally:
        transport.close()


@pytest.mark.parametrize(("end", "kind"), [("SIGKILL", Kind.MEMORY), ("SIGABRT", Kind.CRASH)])
def test_what_the_kernel_kills_is_no_crash_of_the_engine(healthy: Artefact, end: str, kind: Kind) -> None:
    transport = ProcessTransport("onnxruntime", EngineEnvironment(variables={"ASSAY_TEST": "1"}))
    program = transport.folder / "assay_worker" / "__main__.py"
    program.write_text(f"import os, signal, sys\nsys.stdin.readline()\nos.kill(os.getpid(), signal.{end})\n")
    try:
        with pytest.raises(EngineFailed, match=end) as failed:
            Runner(parse("onnxruntime"), transport, deadline=60).load(healthy)
        assert failed.value.failure.kind is kind
    finally:
        transport.close()


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ("ran out of memory: ", Kind.MEMORY),
        ("ended with exit code 137: ", Kind.MEMORY),
        ("ended with exit code 139: Fatal", Kind.CRASH),
    ],
)
def test_a_container_that_ends_is_told_by_how(told: str, kind: Kind) -> None:
    assert death(SessionEnded(told)).failure.kind is kind


def test_secrets_do_not_reach_a_worker(healthy: Artefact, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "do-not-tell")
    transport = ProcessTransport("reference", EngineEnvironment())
    try:
        Runner(parse("reference"), transport).load(healthy)
        assert transport._child is not None
        environment = Path(f"/proc/{transport._child.pid}/environ").read_bytes()
        assert b"do-not-tell" not in environment
    finally:
        transport.close()


def test_an_engine_that_is_not_installed_is_missing(healthy: Artefact, tmp_path: Path) -> None:
    (tmp_path / "onnxruntime.py").write_text("raise ImportError('not here')")
    with Pool(overlay=lambda package, version: tmp_path) as own:
        failure = own.get(dataclasses.replace(parse("onnxruntime"), version="1.0.0"), healthy)
    assert isinstance(failure, Failure)
    assert failure.kind is Kind.MISSING


def test_a_worker_asked_for_again_does_not_make_room_for_the_next(healthy: Artefact) -> None:
    first, second, third = (parse(f"onnxruntime:opt={level}") for level in ("disable", "basic", "all"))
    with Pool(limit=2) as own:
        kept, gone = own.get(first, healthy), own.get(second, healthy)
        assert own.get(first, healthy) is kept
        own.get(third, healthy)
        assert kept in own.runners
        assert gone not in own.runners


def test_a_version_that_does_not_exist_is_missing(tmp_path: Path) -> None:
    with pytest.raises(EngineFailed) as failed:
        Overlays(tmp_path, variables={"PATH": "/usr/bin:/bin", "PIP_NO_INDEX": "1"})("onnxruntime", "0.0.1")
    assert failed.value.failure.kind is Kind.MISSING
    assert "cannot be installed" in failed.value.failure.message


def test_the_pass_is_found_by_halving() -> None:
    backend = parse("onnxruntime")
    for responsible in (pass_names()[0], pass_names()[-1], "LayerNormFusionL2"):
        asked = []

        def deviates(variant, responsible=responsible, asked=asked) -> bool:  # type: ignore[no-untyped-def]
            asked.append(variant.name)
            return variant.knobs["opt"] != "disable" and responsible not in variant.knobs["disabled"].split("+")

        culprit = responsible_pass(backend, deviates)
        assert culprit is not None
        assert (culprit.kind, culprit.name) == ("pass", responsible)
        assert len(asked) <= 2 + 2 * 7


def test_two_passes_together_give_the_level() -> None:
    first, last = pass_names()[0], pass_names()[-1]

    def deviates(variant) -> bool:  # type: ignore[no-untyped-def]
        off = variant.knobs["disabled"].split("+")
        return variant.knobs["opt"] in ("extended", "all") and not (first in off and last in off)

    culprit = responsible_pass(parse("onnxruntime"), deviates)
    assert culprit is not None
    assert (culprit.kind, culprit.name) == ("level", "extended")


def test_a_kernel_bug_has_no_responsible_pass() -> None:
    assert responsible_pass(parse("onnxruntime"), lambda _: True) is None


def test_version_ranges() -> None:
    states = {"1.19": False, "1.20": True, "1.21": None, "1.22": True, "1.23": False}
    found = version_range(list(states), states.__getitem__)
    assert found is not None
    assert "comes in between 1.19 and 1.20" in found.sentence
    assert "gone from 1.23 (still in 1.22)" in found.sentence
    assert "did not run: 1.21" in found.sentence
    assert version_range(["1", "2"], lambda _: False) is None


def test_out_of_memory_names_the_node_and_is_no_crash(
    pool: Pool, tmp_path: Path, save_model: Callable[..., Artefact]
) -> None:
    node = helper.make_node("Expand", ["x", "shape"], ["y"], name="too_large")
    weights = {"shape": np.array([10**6, 10**7], np.int64)}
    artefact = save_model(tmp_path / "m.onnx", [node], weights, [1, 1])
    runner = pool.get(parse("onnxruntime:opt=disable"), artefact)
    assert isinstance(runner, Runner)
    failure = runner.run({"x": np.ones((1, 1), np.float32)}).failure
    assert failure is not None
    assert failure.kind is Kind.MEMORY
    assert failure.kind.rule == "differential/timeout"
    assert "too_large" in failure.message


def test_a_model_too_large_for_memory_is_told_as_that_and_not_as_one_that_takes_no_inputs(
    pool: Pool, tmp_path: Path, save_model: Callable[..., Artefact], examine: Callable[..., Study]
) -> None:
    nodes = [
        helper.make_node("Expand", ["x", "shape"], ["large"], name="too_large"),
        helper.make_node("ReduceSum", ["large"], ["y"], name="sum"),
    ]
    artefact = save_model(tmp_path / "m.onnx", nodes, {"shape": np.array([10**6, 10**6], np.int64)}, [1, 1])
    done = examine(artefact, ["onnxruntime:opt=disable", "openvino"], pool)
    assert done.comparison is not None
    assert [r.failure and r.failure.kind for r in done.comparison.results] == [Kind.MEMORY, Kind.MEMORY]
    assert "ONNX Runtime (opt=disable): out-of-memory" in sentences(done)[0]
    assert "too_large" in sentences(done)[0]
