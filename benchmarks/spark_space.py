"""A space of ten million vectors on a real Spark standalone cluster, one of whose workers is killed on the way.

    python benchmarks/spark_space.py [--vectors 10000000]

Starts a master and two workers on loopback from the `pyspark` package (Java 17), runs the space locally and on the
cluster, kills one worker while it works, and compares every number and the digest over all vectors.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from analyzer.validity.chunks import chunks_of, decide_chunked
from analyzer.validity.space import Space
from analyzer.validity.space_reader import read_space

HOST = "127.0.0.1"


def big_space(vectors: int) -> Space:
    """Convolution, pooling and a classifier over image x batch x kernels x strides: about `vectors` vectors."""
    images = max(1, vectors // (8 * 15 * 4 * 7 * 3))
    return read_space(
        f"""
version: 1
model:
  inputs: {{x: {{shape: [batch, 3, image, image]}}}}
  layers:
    - {{name: conv1, op: Conv2d, in_channels: 3, out_channels: 8, kernel_size: k, stride: s}}
    - {{name: pool, op: MaxPool2d, kernel_size: p, stride: p}}
    - {{name: conv2, op: Conv2d, in_channels: 8, out_channels: 8, kernel_size: 3, stride: 2, groups: g}}
    - {{name: flat, op: Flatten, start_dim: 1}}
    - {{name: fc, op: Linear, in_features: 8 * side * side, out_features: 10}}
hyperparameters:
  image: {{min: 5, max: {4 + images}}}
  batch: [1, 2, 4, 8, 16, 32, 64, 128]
  k: {{min: 1, max: 15}}
  s: [1, 2, 3, 4]
  p: {{min: 1, max: 7}}
  g: [1, 3, 8]
derived:
  side: (((image - k) // s + 1) // p - 3) // 2 + 1
""",
        "ten-million.yml",
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


class Cluster:
    """A Spark standalone cluster on loopback: one master, two workers of one core each."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self._home = Path(pyspark.__file__).parent
        self._folder = folder
        self.port, ui = free_port(), free_port()
        self.url = f"spark://{HOST}:{self.port}"
        self.processes = [
            self._start(
                "master", "org.apache.spark.deploy.master.Master", "--port", str(self.port), "--webui-port", str(ui)
            )
        ]
        time.sleep(4)
        for index in range(2):
            work = folder / f"worker{index}"
            arguments = ("--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(work), self.url)
            self.processes.append(self._start(f"worker{index}", "org.apache.spark.deploy.worker.Worker", *arguments))
        time.sleep(5)

    def _start(self, name: str, main: str, *arguments: str) -> subprocess.Popen[bytes]:
        root = str(Path(__file__).resolve().parents[1])
        environment = {
            **os.environ,
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_IP": HOST,
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": root,
        }
        log = (self._folder / f"{name}.log").open("wb")
        command = ["java", "-cp", f"{self._home}/jars/*", "-Xmx1g", *_OPENED, main, "--host", HOST, *arguments]
        return subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)

    def kill_worker(self, index: int) -> None:
        """Kill a worker and every executor that it started."""
        os.killpg(self.processes[1 + index].pid, signal.SIGKILL)

    def stop(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


_OPENED = [
    f"--add-opens=java.base/{package}=ALL-UNNAMED"
    for package in ("java.lang", "java.lang.invoke", "java.nio", "java.util", "java.util.concurrent", "sun.nio.ch")
]


def session(cluster: Cluster) -> Any:
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master(cluster.url)
        .appName("assay space")
        .config("spark.driver.bindAddress", HOST)
        .config("spark.driver.host", HOST)
        .config("spark.ui.enabled", "false")
        .config("spark.executor.memory", "700m")
        .config("spark.executorEnv.PYTHONPATH", str(Path(__file__).resolve().parents[1]))
        .getOrCreate()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=10_000_000)
    parser.add_argument("--cells", type=int, default=60_000, help="vectors in a chunk")
    parser.add_argument("--kill-after", type=float, default=4.0, help="seconds until a worker is killed")
    args = parser.parse_args()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", HOST)
    space = big_space(args.vectors)
    count = sum(1 for _ in chunks_of(space, args.cells))
    began = time.perf_counter()
    local = decide_chunked(space, jobs=1, cells=args.cells)
    print(f"local, one process: {local.sentence}; {time.perf_counter() - began:.1f} s")
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(Path(folder))
        try:
            spark = session(cluster)
            killed: list[float] = []
            began = time.perf_counter()

            def kill() -> None:
                cluster.kill_worker(0)
                killed.append(time.perf_counter() - began)

            timer = threading.Timer(args.kill_after, kill)
            timer.start()
            remote = decide_chunked(space, jobs=2, backend="spark", cells=args.cells)
            seconds = time.perf_counter() - began
            timer.cancel()
            print(f"Spark, two workers: {remote.sentence}; {seconds:.1f} s")
            print(f"worker killed after {killed[0]:.1f} s" if killed else "the run ended before a worker was killed")
            print(f"{count} chunks; identical to local: {remote == local}; digest {remote.digest}")
            spark.stop()
        finally:
            cluster.stop()
    if remote != local or not killed:
        sys.exit(1)


if __name__ == "__main__":
    main()
