"""JAX functions by themselves: traced once, compiled as a whole or evaluated primitive by primitive."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.commands.cli import main

MODEL = """
import jax
import jax.numpy as jnp
import numpy as np

rng = np.random.default_rng(0)


@jax.jit
def hidden(x, w):
    with jax.named_scope("hidden"):
        return jax.nn.gelu(x @ w)


def model(x):
    with jax.named_scope("head"):
        return jax.nn.softmax(hidden(x, model.weights), axis=-1)


def build():
    model.weights = jnp.asarray(np.random.default_rng().normal(size=(6, 8)).astype("float32"))
    return model, (rng.normal(size=(4, 6)).astype("float32"),)


def too_big(x):
    with jax.named_scope("gate"):
        y = jnp.exp(100.0 * jnp.abs(x) + 80.0)
    return jnp.log1p(y)


def overflow():
    return too_big, (rng.normal(size=(4, 6)).astype("float32"),)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


ENGINES = ["--backends", "jax,jax:mode=eager", "--sandbox", "process"]


def test_modes_agree_on_one_build_of_the_weights(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "model.py:build", *ENGINES, "--thorough"]) == 0
    said = capfd.readouterr().out
    assert "JAX agrees with the float64 run" in said
    assert "JAX (mode=eager) agrees with the float64 run" in said


def test_an_overflow_is_found_in_its_scope(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """float32 overflows in both modes where float64 does not: common mode, a warning, with the named scope as layer."""
    assert main(["diff", "model.py:overflow", *ENGINES]) == 0
    said = " ".join(capfd.readouterr().out.split())
    assert "warning: Every engine that ran deviates from the float64 run in `gate` (exp)" in said


def test_a_function_that_cannot_be_called_says_so(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (project / "model.py").write_text("def build():\n    return 3\n")
    assert main(["diff", "model.py:build", *ENGINES]) == 3
    assert "an entry point gives" in " ".join(capfd.readouterr().out.split())
