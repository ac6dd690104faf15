"""Do reproducers show their failure with one thread and with four?

    python benchmarks/reproducer_threads.py FOLDER [--alone 5]

FOLDER is searched for `reproduce_*.py`. They run in warm processes, one for each setting, with OMP_NUM_THREADS and
THREADS (which the script hands to its engine) both 1, both 4, and each alone 4. A script that ends its process, and
`--alone` of them drawn at random, are run as a user runs them. Prints each script that does not show its failure under
every setting, and how many say in their first lines what they depend on.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

SETTINGS = (("1", "1"), ("4", "4"), ("4", "1"), ("1", "4"))  # OMP_NUM_THREADS, THREADS
GUARD = 'if sys.argv[1:] != ["here"]'  # before it a script defines `failure`


def serve() -> None:
    """Answers each path of a reproducer with what it shows."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # frameworks print to standard output
    for line in sys.stdin:
        path = Path(line.strip())
        names = {"__file__": str(path), "__name__": "__main__"}
        try:
            exec(compile(path.read_text().split(GUARD)[0], str(path), "exec"), names)
            shown = names["failure"]()  # type: ignore[operator]
        except (Exception, SystemExit) as error:
            shown = {"raised": f"{type(error).__name__}: {error}"[:200]}
        print(json.dumps(shown), file=replies, flush=True)


def environment(setting: tuple[str, str]) -> dict[str, str]:
    omp, threads = setting
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    return {**os.environ, **quiet, "OMP_NUM_THREADS": omp, "THREADS": threads}


def alone(script: Path, setting: tuple[str, str]) -> str:
    """An empty string if the script, run as a user runs it, ends with 1."""
    done = subprocess.run(
        [sys.executable, script], env=environment(setting), capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 1 else f"ended with {done.returncode}: {done.stdout[-200:]}"


def warm(scripts: Sequence[Path], setting: tuple[str, str]) -> Iterator[str]:
    """For each script an empty string, or why its failure is not seen."""
    command = [sys.executable, __file__, "--serve"]
    process: subprocess.Popen[str] | None = None
    for script in scripts:
        if process is None:
            process = subprocess.Popen(
                command, env=environment(setting), text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(f"{script}\n")
            process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            process.wait()
            process = None
            yield alone(script, setting)
            continue
        shown = json.loads(answer)
        yield "" if isinstance(shown, str) else (shown["raised"] if shown else "every result is finite")
    if process is not None:
        assert process.stdin is not None
        process.stdin.close()
        process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--alone", type=int, default=5)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        return serve()
    scripts = sorted(arguments.folder.resolve().rglob("reproduce_*.py"))
    texts = [script.read_text() for script in scripts]
    stated = sum("seen with" in text for text in texts)
    names = ("onnxruntime", "tensorflow", "torch")
    engines = Counter(name for text in texts for name in names if f"and {name};" in text)
    shown = dict.fromkeys(scripts, 0)
    for setting in SETTINGS:
        for script, why in zip(scripts, warm(scripts, setting), strict=True):
            shown[script] += not why
            if why:
                print(f"OMP_NUM_THREADS={setting[0]} THREADS={setting[1]} {script.name}: {why}")
        print(f"OMP_NUM_THREADS={setting[0]} THREADS={setting[1]} done", flush=True)
    everywhere = sum(number == len(SETTINGS) for number in shown.values())
    print(f"{len(scripts)} reproducers {dict(engines)}, {stated} say what they depend on")
    print(f"{everywhere} fail under every setting, {sum(n == 0 for n in shown.values())} under none")
    for script in random.Random(0).sample(scripts, min(arguments.alone, len(scripts))):
        print(f"alone, {script.name}: {[alone(script, setting) or 'shown' for setting in SETTINGS[:2]]}", flush=True)


if __name__ == "__main__":
    main()
