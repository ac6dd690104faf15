"""What a differential run costs: workers against the bare executions, and localization of a 100-layer model.

    python benchmarks/differential_speed.py [--repeat 5]

Prints ratios: a warm worker's call (arrays over disk, weights hashed) over the bare ONNX Runtime call in this process;
then the seconds for localizing and reducing faults in a model of 100 layers, the float64 oracle's time included.
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
from fault_injection import ENGINES, Bench, Remembering, start

from analyzer.differential import noise
from analyzer.differential.backend import parse
from analyzer.differential.reduce import reduce
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.transport import EngineEnvironment, ProcessTransport


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
            runner = Runner(parse("onnxruntime:threads=1"), ProcessTransport("onnxruntime", EngineEnvironment()))
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
        path = folder / "hundred.onnx"
        onnx.save(transformer(layers=4), path)
        wrong, right, faults = ENGINES[".onnx"]
        oracle = start(right, kind=Remembering)
        assert isinstance(oracle, Remembering)
        bench = Bench(path, start(wrong, faults), oracle, sets=1)
        for seed in range(args.repeat):
            injected = bench.inject(1 + seed % 2, [seed])
            oracle.memory.clear()  # the oracle's part counts
            started = time.perf_counter()
            found = bench.localize(0)
            located = time.perf_counter() - started
            for blame in found.blames:
                reduce(blame, bench.wrong, oracle, noise.MARGIN * blame.floor)
            seconds = time.perf_counter() - started
            blamed = [b.unit.id for b in found.blames]
            print(
                f"{len(found.units)} layers: localized in {located:.1f} s, reduced after {seconds:.1f} s; "
                f"{injected} -> blamed {blamed}",
                flush=True,
            )
        bench.wrong.close()
        oracle.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
