"""How long the action's slim image takes where there is little to do, on a real engine.

    python benchmarks/image_start.py [--image assay-action:test] [--repeat 5]

Two pull requests, documentation alone and an ONNX model that is safe before and after, where no image with engines can
be pulled (so that nothing is fetched in silence). Beside them a container of the image that does nothing. Seconds on
the wall, the median and all of them; the ratios to the empty container hang less on the machine.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.action.harness import Workbench
from tests.action.test_image import CONFIG, NOWHERE, docker, model, run_as_github_does
from tests.github_simulator import Simulator


def renamed(content: bytes) -> bytes:
    """The same model as another file."""
    proto = onnx.load_from_string(content)
    proto.doc_string = "another version"
    return proto.SerializeToString()


CHANGES: dict[str, dict[str, str | bytes | None]] = {
    "documentation alone": {"README.md": "other words\n"},
    "a safe ONNX model": {"loss.onnx": renamed(model(safe=True))},
}


def empty(image: str) -> float:
    """Seconds of a container that ends at once."""
    began = time.monotonic()
    done = docker("run", "--rm", "--entrypoint", "/bin/true", image)
    assert done.returncode == 0, done.stderr
    return time.monotonic() - began


def review(image: str, changes: dict[str, str | bytes | None]) -> float:
    """Seconds of one review; no image with engines is within reach."""
    with tempfile.TemporaryDirectory() as folder, Simulator() as simulator:
        bench = Workbench(Path(folder), simulator)
        bench.base = bench.commit({".assay.yml": CONFIG, "loss.onnx": model(safe=True), "README.md": "words\n"})
        bench.open_pull(changes)
        began = time.monotonic()
        without = {"ASSAY_ENGINES_IMAGE": NOWHERE}
        done = run_as_github_does(bench, image, Path(folder, "box"), variables=without)
        seconds = time.monotonic() - began
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        assert "Pulling" not in done.stdout + done.stderr
        assert simulator.violations == []
        return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--image", default="assay-action:test")
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    runs: dict[str, Callable[[], float]] = {"a container that does nothing": lambda: empty(args.image)}
    for name, changes in CHANGES.items():
        runs[name] = lambda changes=changes: review(args.image, changes)  # type: ignore[misc]
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(args.repeat):  # in turn, so that a busy minute meets all alike
        for name, run in runs.items():
            found[name].append(run())
    least = statistics.median(found["a container that does nothing"])
    for name, seconds in found.items():
        middle = statistics.median(seconds)
        print(f"{name}: {middle:.1f} s (x {middle / least:.1f}); {', '.join(f'{s:.1f}' for s in sorted(seconds))}")


if __name__ == "__main__":
    main()
