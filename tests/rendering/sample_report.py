"""A report with every kind of content, for the tests of the renderers."""

from __future__ import annotations

import math

from analyzer.findings import (
    Confidence,
    DeviationMap,
    DistanceHistogram,
    Evidence,
    Finding,
    LayerGraph,
    LayerNode,
    Level,
    Location,
    MapNode,
    Report,
    Status,
    Suggestion,
    Table,
    TargetReport,
    UnsafeOperators,
)


def sample_report(*, name: str = "vae-loss", layer: str = "VAE.loss", path: str = "models/vae.py") -> Report:
    """`name`, `layer` and `path` stand for text that a pull request controls."""
    log = Finding(
        rule="numerical/log-of-nonpositive",
        level=Level.ERROR,
        confidence=Confidence.CONFIRMED,
        message="`log` receives 0: `1e-10 + 1` is exactly 1 in float32, so `1 - p` reaches 0 for logits above 17",
        target=name,
        layer=layer,
        node="Log_1",
        op="Log",
        operand="input",
        location=Location(path, 42),
        evidence=Evidence(
            "interval",
            ("The logits lie in [-50, 50].", "sigmoid gives [1.9e-22, 1].", "1 - p gives [0, 1]."),
            (Table(("value", "interval"), (("logits", "[-50, 50]"), ("1 - p", 0.0))),),
            ("input `x` in [0, 1], declared in .assay.yml:3",),
            {"lower": 0.0, "upper": math.inf},
        ),
        reproducer="targets/vae/test_log.py",
        suggestion=Suggestion(
            "Compute the logarithm of the sigmoid in one step.", path, 42, 42, "    loss = -F.logsigmoid(-x)", True
        ),
    )
    kernel = Finding(
        rule="validity/illegal-shape",
        level=Level.ERROR,
        confidence=Confidence.PROVED,
        message="kernel 7 does not fit a 5 × 5 input; valid for image sizes ≥ 75",
        target=name,
        layer="encoder.conv3",
        node="conv3",
        op="Conv",
        location=Location(path, 18),
        evidence=Evidence("core", ("input height is 5", "kernel height is 7", "a kernel must fit its padded input")),
    )
    known = Finding(
        rule="numerical/exp-overflow",
        level=Level.WARNING,
        confidence=Confidence.POSSIBLE,
        message="`exp` may receive 120, above 88.7",
        target=name,
        layer="decoder",
        node="Exp",
        new=False,
    )
    quiet = Finding(
        rule="numerical/overflow",
        level=Level.NOTE,
        confidence=Confidence.POSSIBLE,
        message="a sum may overflow float16",
        target=name,
        node="Sum",
        suppressed="accepted until the rewrite",
    )
    layers = LayerGraph(
        (
            LayerNode("l0", "encoder", "Sequential", 12, "batch × 20", "[-4, 4]", Location(path, 12)),
            LayerNode("l1", layer, "Loss", 6, "", "[-inf, 3]", Location(path, 42)),
            LayerNode("l2", "decoder", "Sequential", 8, "batch × 784", "[0, 1]"),
        ),
        (("l0", "l2"), ("l2", "l1")),
    )
    chart = DeviationMap(
        name,
        "float64",
        "torch",
        (
            MapNode("a", "conv1", "Conv2D", 1e-7, 0.0, 1e-7),
            MapNode("b", "up2", "Conv2DTranspose", 0.87, 3.5e6, 1.5, responsible=True, highlighted=True),
            MapNode("c", "out", "Dense", math.nan, -0.2, None),
        ),
        (("a", "b"), ("b", "c")),
    )
    analysed = TargetReport(
        name,
        "entry",
        f"{path}:build",
        nodes=812,
        unsafe_operators=UnsafeOperators(12, 11),
        unknown_operators={"NonMaxSuppression": 1},
        seconds={"exporting": 2.1, "numerical": 0.04},
        assumptions=("input `x` in [0, 1], declared in .assay.yml:3",),
        notes=("OpenVINO is not installed, so it was left out.",),
        versions={"torch": "2.13.0"},
        backends=("torch deviates from the float64 reference by 0.87 in `decoder.up2` (Conv2DTranspose)",),
        maps=(chart,),
        distances=(
            DistanceHistogram("class", "tensorflow", "torch", (16, 8, 4, 2, 1, 0), (3, 5, 0, 1, 2, 39), 8, 8, True),
        ),
        layers=layers,
    )
    failed = TargetReport(
        "broken", "onnx", "b.onnx", Status.FAILED, "b.onnx ends in the middle of a tensor; fetch it again."
    )
    return Report(
        (analysed, failed),
        (log, kernel, known, quiet),
        fixed=(
            Finding("numerical/division-by-zero", Level.ERROR, Confidence.CONFIRMED, "division by 0", name, node="Div"),
        ),
        base="1111111111111111111111111111111111111111",
        head="2222222222222222222222222222222222222222",
        seconds=41.2,
        tool={"name": "assay", "version": "0.1.0"},
        notes=("1 model was not changed.",),
    )
