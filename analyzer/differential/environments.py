"""Version overlays: one package of one version in a folder that comes before what is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from analyzer.differential.backend import ENGINES
from analyzer.differential.transport import EngineFailed
from analyzer.differential.verdict import Kind
from analyzer.problem import TargetProblem
from analyzer.walls.relayed import given


@dataclass(frozen=True)
class Overlays:
    """Installs ``package==version`` below `folder` once, without dependencies, and hands out the path.

    The base environment supplies everything else, so one overlay is as small as the package.
    """

    folder: Path
    python: str = sys.executable
    seconds: float = 600.0
    variables: Mapping[str, str] = field(default_factory=lambda: _pip_variables())

    def __call__(self, package: str, version: str) -> Path:
        """Raises `EngineFailed` (missing) with pip's last words."""
        target = self.folder / f"{package}-{version}"
        if (target / ".complete").is_file():
            return target
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(dir=self.folder, prefix=".draft-"))
        command = [
            self.python, "-m", "pip", "install", "--quiet", "--no-input", "--no-deps", "--no-compile",
            "--only-binary", ":all:", "--target", str(draft), f"{package}=={version}",
        ]  # fmt: skip
        try:
            done = subprocess.run(
                command, env=dict(self.variables), capture_output=True, text=True, timeout=self.seconds, check=False
            )
        except subprocess.TimeoutExpired:
            shutil.rmtree(draft, ignore_errors=True)
            raise EngineFailed(
                Kind.MISSING, f"{package} {version} was not installed within {self.seconds:g} s"
            ) from None
        if done.returncode != 0:
            shutil.rmtree(draft, ignore_errors=True)
            last = next((line for line in reversed(done.stderr.splitlines()) if line.startswith("ERROR")), "pip failed")
            raise EngineFailed(Kind.MISSING, f"{package} {version} cannot be installed: {last[:200]}")
        (draft / ".complete").touch()
        try:
            draft.rename(target)
        except OSError:  # another process was faster
            shutil.rmtree(draft, ignore_errors=True)
        return target


def overlays() -> Callable[[str, str], Path]:
    """Where versions come from: installed by this process, or asked for where a wall keeps it from installing."""
    channel = given()
    if channel is None:
        return Overlays(default_folder())

    def ask(package: str, version: str) -> Path:
        try:
            return Path(channel.ask({"op": "install", "package": package, "version": version})["path"])
        except TargetProblem as problem:
            raise EngineFailed(Kind.MISSING, str(problem)) from None

    return ask


def installer(install: Overlays) -> Callable[[str, str], Path]:
    """`install` for a walled process that asks: packages of engines alone, by what is plainly a version."""
    known = {package for engine in ENGINES.values() for package in engine.packages}

    def checked(package: str, version: str) -> Path:
        if package not in known or not re.fullmatch(r"[0-9][0-9A-Za-z.+-]{0,40}", version):
            raise TargetProblem(f"{package[:80]!a} {version[:80]!a} is no version of an engine")
        try:
            return install(package, version)
        except EngineFailed as failed:
            raise TargetProblem(failed.failure.message) from None

    return checked


def default_folder() -> Path:
    """Where overlays are kept between runs."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "assay" / "overlays"


def _pip_variables() -> dict[str, str]:
    """What pip needs to find packages, and no other variable: no token reaches an installed package's build."""
    wanted = ("PATH", "HOME", "LANG", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY")
    return {n: v for n, v in os.environ.items() if n in wanted or n.startswith("PIP_")}
