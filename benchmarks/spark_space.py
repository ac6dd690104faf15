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
    """Convolution, pooling and a classifier over image x batch x kernels x strides: at least `vectors` vectors."""
    images = max(1, -(-vectors // (8 * 15 * 4 * 7 * 3)))
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
        port = free_port()
        self.url = f"spark://{HOST}:{port}"
        listening = ("--host", HOST, "--port", str(port), "--webui-port", str(free_port()))
        self.processes = [self._start("master", "org.apache.spark.deploy.master.Master", *listening)]
        self._wait_for("master", "New state: ALIVE")
        for index in range(2):
            work = ("--work-dir", str(folder / f"work{index}"))
            room = ("--host", HOST, "--cores", "1", "--memory", "1g", "--webui-port", "0")
            self.processes.append(
                self._start(f"worker{index}", "org.apache.spark.deploy.worker.Worker", *room, *work, self.url)
            )
            self._wait_for(f"worker{index}", "Successfully registered with master")

    def _start(self, name: str, main: str, *arguments: str) -> subprocess.Popen[bytes]:
        """Spark's own launcher: it sets the Scala version, without which no worker can start an executor."""
        environment = {
            **os.environ,
            "SPARK_HOME": str(self._home),
            "SPARK_LOCAL_IP": HOST,
            "SPARK_DAEMON_MEMORY": "512m",
            "PYSPARK_PYTHON": sys.executable,
        }
        log = (self._folder / f"{name}.log").open("wb")
        command = [str(self._home / "bin" / "spark-class"), main, *arguments]
        return subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)

    def _wait_for(self, name: str, words: str, seconds: float = 120.0) -> None:
        log = self._folder / f"{name}.log"
        deadline = time.monotonic() + seconds
        while words not in log.read_text(errors="replace"):
            if time.monotonic() > deadline:
                raise SystemExit(f"Spark's {name} did not start:\n{log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.2)

    def finished(self, index: int) -> int:
        """How many tasks a worker's executors have finished, by their own logs."""
        logs = (self._folder / f"work{index}").glob("*/*/stderr")
        return sum(log.read_text(errors="replace").count(": Finished task ") for log in logs)

    def kill_worker(self, index: int) -> None:
        """Kill a worker and every executor that it started."""
        os.killpg(self.processes[1 + index].pid, signal.SIGKILL)

    def stop(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def session(cluster: Cluster) -> Any:
    """A driver with one executor on each worker."""
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master(cluster.url)
        .appName("assay space")
        .config("spark.driver.bindAddress", HOST)
        .config("spark.driver.host", HOST)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.executor.memory", "700m")
        .config("spark.executorEnv.PYTHONPATH", str(Path(__file__).resolve().parents[1]))
        .config("spark.executorEnv.SPARK_LOCAL_IP", HOST)
        .getOrCreate()
    )
    deadline = time.monotonic() + 180
    while spark.sparkContext._jsc.sc().maxNumConcurrentTasks(_default_profile(spark)) < 2:
        if time.monotonic() > deadline:
            raise SystemExit("the executors did not register")
        time.sleep(0.2)
    return spark


def _default_profile(spark: Any) -> Any:
    return spark.sparkContext._jsc.sc().resourceProfileManager().resourceProfileFromId(0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=10_000_000)
    parser.add_argument("--cells", type=int, default=60_000, help="vectors in a chunk")
    parser.add_argument("--kill-after", type=int, default=20, help="chunks that a worker finishes before it is killed")
    args = parser.parse_args()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = HOST
    space = big_space(args.vectors)
    count = sum(1 for _ in chunks_of(space, args.cells))
    began = time.perf_counter()
    local = decide_chunked(space, jobs=1, cells=args.cells)
    print(f"local, one process: {local.sentence}; {time.perf_counter() - began:.1f} s", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(Path(folder))
        try:
            spark = session(cluster)
            killed, over = threading.Event(), threading.Event()

            def kill() -> None:
                while not over.wait(0.1):
                    if cluster.finished(0) >= args.kill_after:
                        cluster.kill_worker(0)
                        killed.set()
                        return

            threading.Thread(target=kill, daemon=True).start()
            began = time.perf_counter()
            remote = decide_chunked(space, jobs=2, backend="spark", cells=args.cells)
            print(f"Spark, two workers: {remote.sentence}; {time.perf_counter() - began:.1f} s")
            over.set()
            done = [cluster.finished(index) for index in range(2)]
            print(
                f"worker 0 {'was killed' if killed.is_set() else 'lived'} after {done[0]} tasks; worker 1 did {done[1]}"
            )
            print(f"{count} chunks; identical to local: {remote == local}; digest {remote.digest}")
            spark.stop()
        finally:
            cluster.stop()
    if remote != local or not killed.is_set():
        sys.exit(1)


if __name__ == "__main__":
    main()
