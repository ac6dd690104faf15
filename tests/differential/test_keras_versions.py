"""A model on another version of Keras, installed for real as an overlay."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from analyzer.differential.backend import parse
from analyzer.differential.environments import Overlays
from analyzer.differential.pool import Pool
from analyzer.differential.runner import Artefact, Runner
from analyzer.differential.verdict import Failure, Kind

VERSION = "3.5.0"
MODEL = """
import sys, keras
from keras import layers as L
model = keras.Sequential([keras.Input((8, 8, 1)), L.Conv2D(3, 3, activation="relu"), L.Flatten(), L.Dense(2)])
model.save(sys.argv[1])
"""


@pytest.mark.study
def test_a_sequential_model_runs_where_a_loaded_one_knows_no_input(tmp_path: Path) -> None:
    """Keras 3.5: `.input` of a Sequential model from a file raises ValueError, that of later ones AttributeError."""
    overlays = Overlays(tmp_path / "overlays")
    saved = tmp_path / "model.keras"
    env = {**os.environ, "KERAS_BACKEND": "jax", "PYTHONPATH": str(overlays("keras", VERSION))}
    subprocess.run([sys.executable, "-c", MODEL, str(saved)], check=True, env=env)
    artefact = Artefact("keras", {"model.keras": saved}, {"path": "model.keras"})
    with Pool(overlay=overlays) as pool:
        runner = pool.get(parse(f"keras-jax@{VERSION}"), artefact)
        assert isinstance(runner, Runner), runner
        (info,) = runner.description.inputs if runner.description else ()
        outcome = runner.run({info.name: np.ones((2, 8, 8, 1), np.float32)})
    assert outcome.failure is None
    (output,) = outcome.arrays.values()
    assert output.shape == (2, 2)
    assert np.isfinite(output).all()


def test_a_file_of_a_newer_keras_is_unsupported_not_a_crash(tmp_path: Path) -> None:
    saved = tmp_path / "model.keras"
    config = {"module": "keras", "class_name": "Functional", "config": {"unheard": 1}, "registered_name": "Functional"}
    with zipfile.ZipFile(saved, "w") as archive:
        archive.writestr("metadata.json", json.dumps({"keras_version": "99.1.0"}))
        archive.writestr("config.json", json.dumps(config))
    with Pool() as pool:
        failure = pool.get(parse("keras-numpy"), Artefact("keras", {"model.keras": saved}, {"path": "model.keras"}))
    assert isinstance(failure, Failure)
    assert failure.kind is Kind.UNSUPPORTED
    assert "what Keras 99.1.0 saved" in failure.message
