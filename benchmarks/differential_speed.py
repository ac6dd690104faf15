"""What a differential run costs: workers against the bare executions, and localization of a 100-layer model.

    python benchmarks/differential_speed.py [--repeat 5]

Prints ratios: a warm worker's call (arrays over disk, weights hashed) over the bare ONNX Runtime call in this process;
then the seconds for localizing and reducing one fault in a 100-node model.
"""

# ruff: noqa: E402

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]

from differential_models import transformer, zoo
from fault_injection import inject

from analyzer.differential.backend import parse
from analyzer.differential.localize import localize
from analyzer.differential.reduce import reduce
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.transport import Environment, ProcessTransport


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args(argv)
    import onnxruntime as ort

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        for name in ("light_squeezenet", "light_resnet50"):
            model = zoo(name)
            path = folder / f"{name}.onnx"
            onnx.save(model, path)
            shape = [d.dim_value or 1 for d in model.graph.input[0].type.tensor_type.shape.dim]
            feeds = {model.graph.input[0].name: np.random.default_rng(0).standard_normal(shape).astype(np.float32)}
            session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
            runner = Runner(parse("onnxruntime:threads=1"), ProcessTransport("onnxruntime", Environment()))
            runner.load(Artefact("onnx", {path.name: path}, {"path": path.name}))
            runner.run(feeds)
            bare, warm = [], []
            for _ in range(args.repeat):
                started = time.perf_counter()
                session.run(None, feeds)
                bare.append(time.perf_counter() - started)
                started = time.perf_counter()
                runner.run(feeds)
                warm.append(time.perf_counter() - started)
            runner.close()
            ratio = statistics.median(warm) / statistics.median(bare)
            print(f"{name}: a warm worker takes {ratio:.2f} times the bare execution", flush=True)
        model = transformer(layers=5)
        faulty, faults = inject(model, 1, np.random.default_rng(3))
        right, wrong = (Runner(parse("onnxruntime:opt=disable:threads=1"), ProcessTransport("onnxruntime", Environment())) for _ in range(2))  # fmt: skip # noqa: E501
        wrong.backend = parse("onnxruntime:opt=disable:threads=2")
        for runner, proto in ((right, model), (wrong, faulty)):
            path = folder / f"{id(runner)}.onnx"
            onnx.save(proto, path)
            structure = runner.load(Artefact("onnx", {"model.onnx": path}, {"path": "model.onnx"}))
        started = time.perf_counter()
        found = localize(
            structure, [wrong], right, {"x": np.random.default_rng(0).standard_normal((2, 9, 32)).astype(np.float32)}
        )
        for blame in found.blames:
            reduce(blame, wrong, right, 1e-5)
        seconds = time.perf_counter() - started
        blamed = [b.unit.id for b in found.blames]
        print(f"{len(found.units)} layers: localized and reduced in {seconds:.1f} s; {faults} -> blamed {blamed}")
        right.close()
        wrong.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
