"""Reports for tests of the GitHub side, as the analyses would write them."""

from __future__ import annotations

from dataclasses import replace

from analyzer.findings import (
    Confidence,
    DeviationMap,
    Evidence,
    Finding,
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

LOG = Finding(
    "numerical/log-of-nonpositive",
    Level.ERROR,
    Confidence.CONFIRMED,
    "`log` receives 0: `1e-10 + 1` is exactly 1 in float32, so `1 - p` reaches 0 for logits above 17",
    "vae-loss",
    layer="VAE.loss",
    node="log_3",
    op="Log",
    location=Location("models/vae.py", 42),
    evidence=Evidence(
        "interval",
        ("The logit lies in [-40, 40].", "1 - p reaches 0."),
        (Table(("value", "low", "high"), (("logit", -40, 40), ("p", 0, 1))),),
        ("x in [0, 1]",),
    ),
    reproducer="targets/vae/reproduce.py",
    suggestion=Suggestion("use log1p", "models/vae.py", 42, 42, "return log1p(-p)", True),
)
KERNEL = Finding(
    "validity/incompatible-shape",
    Level.ERROR,
    Confidence.PROVED,
    "kernel 7 does not fit a 5 × 5 input; valid for image sizes ≥ 75",
    "vae-loss",
    layer="encoder.conv3",
    node="conv3",
    op="Conv",
    location=Location("models/vae.py", 18),
)
EXP = Finding(
    "numerical/exp-overflow",
    Level.WARNING,
    Confidence.POSSIBLE,
    "exp may overflow for logits above 88.7",
    "vae-loss",
    layer="decoder",
    node="exp_1",
    op="Exp",
    location=Location("models/vae.py", 5),
)
MAP = DeviationMap(
    "torch against reference",
    "reference",
    "torch",
    tuple(
        MapNode(f"l{i}", f"layer{i}", "Conv", 0.1 * i, 0.2, 0.9 if i == 4 else None, i == 4, i == 5) for i in range(8)
    ),
    tuple((f"l{i}", f"l{i + 1}") for i in range(7)),
)
VAE = TargetReport(
    "vae-loss",
    "model",
    "models/vae.onnx",
    nodes=40,
    unsafe_operators=UnsafeOperators(12, 9),
    unknown_operators={"Foo": 2},
    assumptions=("x in [0, 1]",),
    versions={"torch": "2.13"},
    backends=("Torch deviates by 0.87.",),
    maps=(MAP,),
)


def report(*findings: Finding, fixed: tuple[Finding, ...] = (), target: TargetReport = VAE) -> Report:
    return Report(
        (target,),
        findings,
        fixed=fixed,
        base="b" * 12,
        head="h" * 12,
        seconds=41.2,
        tool={"name": "assay", "version": "0.1"},
    )


BROKEN = replace(VAE, status=Status.FAILED, error="models/vae.onnx is truncated", maps=())
