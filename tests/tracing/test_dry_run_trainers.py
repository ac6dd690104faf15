"""Libraries' own trainers and trackers in a dry run: what they would give at their end confirms no failure."""

from __future__ import annotations

import sys
import traceback
import types
from pathlib import Path
from typing import Any

import pytest

from analyzer.tracing.inside import trainer_adapters
from analyzer.tracing.inside.lacks import lack
from analyzer.tracing.inside.script import _of_a_trainer
from analyzer.tracing.inside.stubs import Anything, GivenConfig, StubFinder, stands_in
from tests.tracing.dry_runs import line_of, run


class Progress:
    whole_batches = 2
    trainers = False


def test_a_trainer_of_lightning_logs_and_tests_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    class Trainer:
        def __init__(self, **options: Any) -> None:
            self.options = options

        def test(self, model: Any = None, ckpt_path: Any = None) -> Any:
            return ckpt_path

    class DummyLogger:
        pass

    Trainer.__module__ = "lightning.pytorch.trainer.trainer"
    loggers = types.SimpleNamespace(DummyLogger=DummyLogger)
    monkeypatch.setitem(sys.modules, "lightning.pytorch.loggers.logger", loggers)
    progress = Progress()
    trainer_adapters.adapters(progress)["lightning"](types.SimpleNamespace(Trainer=Trainer))
    assert Trainer(max_epochs=9).options["logger"].__class__ is DummyLogger
    assert Trainer(logger=False).options["logger"] is False
    assert Trainer().options["fast_dev_run"] == 3
    assert progress.trainers
    assert Trainer().test(ckpt_path="best") is None
    assert Trainer().test(ckpt_path="a.ckpt") == "a.ckpt"


@pytest.mark.parametrize("best", [True, False])
def test_arguments_of_a_trainer_that_keeps_its_best_weights_stand(best: bool) -> None:
    class Strategy(str):
        pass

    class TrainingArguments:
        def __init__(self, **options: Any) -> None:
            if options.get("load_best_model_at_end") and options["save_strategy"] != options["eval_strategy"]:
                raise ValueError("--load_best_model_at_end requires the save and eval strategy to match")
            self.save_strategy = Strategy(options["save_strategy"])

    module = types.SimpleNamespace(TrainingArguments=TrainingArguments)
    trainer_adapters.adapters(Progress())["transformers.training_args"](module)
    made = TrainingArguments(eval_strategy="epoch", save_strategy="epoch", load_best_model_at_end=best)
    assert made.save_strategy == "no"


def _raised(error: Exception) -> tuple[Exception, Any]:
    try:
        raise error
    except Exception as caught:
        return caught, traceback.extract_tb(caught.__traceback__)


@pytest.mark.parametrize(
    ("error", "doubted"),
    [
        (AttributeError("'NoneType' object has no attribute 'item'"), True),
        (ValueError('You cannot execute `.test(ckpt_path="best")` with `fast_dev_run=True`'), True),
        (TypeError("expected str, bytes or os.PathLike object, not function"), True),  # of a logger that takes all
        (KeyError("val_loss"), True),  # of the metrics, behind the training
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied (32x128 and 64x5)"), False),
        (RuntimeError("Expected target size [32, 9], got [32, 20]"), False),
    ],
)
def test_what_a_trainer_would_give_at_its_end_is_doubted(error: Exception, doubted: bool) -> None:
    caught, frames = _raised(error)
    assert _of_a_trainer(type(caught).__name__, str(caught), frames) is doubted


def test_what_fails_within_a_training_step_is_not_for_what_comes_behind_it() -> None:
    step = traceback.FrameSummary("/site-packages/lightning/pytorch/loops/fit.py", 3, "advance")
    _, frames = _raised(KeyError("labels"))
    assert not _of_a_trainer("KeyError", "'labels'", [step, *frames])


@pytest.mark.parametrize(
    "message",
    [
        "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. b'No files matched pattern: photos/*/*.jpg'",
        "No images found in directory data. Allowed formats: ('.bmp',)",
        "Found no valid file for the classes a, b.",
        "Couldn't find any class folder in data/train.",
    ],
)
def test_a_search_that_found_nothing_wants_for_files(message: str) -> None:
    own, last = (types.SimpleNamespace(filename=name, line="x = f()") for name in ("/p/train.py", "/lib/data.py"))
    assert str(lack(ValueError(message), [own], last, nothing_left_out=True)).startswith("files (")


def test_a_conflict_of_sizes_is_no_want_of_files() -> None:
    own, last = (types.SimpleNamespace(filename=name, line="x = f()") for name in ("/p/train.py", "/lib/data.py"))
    said = "Shapes (16, 4) and (16, 5) are incompatible, no file-like shapes match"
    assert lack(ValueError(said), [own], last, nothing_left_out=True) is None


def test_a_tracker_hands_out_the_configuration_it_was_given() -> None:
    config = GivenConfig({"width": 8})
    config.update(types.SimpleNamespace(depth=2))
    config.rate = 0.5
    assert (config.width, config["depth"], config.get("rate"), dict(config)["width"]) == (8, 2, 0.5, 8)
    assert "depth" in config
    assert sorted(config) == ["depth", "rate", "width"]
    assert not stands_in(config)
    assert isinstance(config.heads, Anything)
    assert stands_in(config)


TRACKED = """
    import torch
    import wandb

    run = wandb.init(project="x", config=dict(width=8, classes=4, steps=3))
    config = wandb.config
    net = torch.nn.Linear(config.width, config.classes)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for step in range(run.config["steps"]):
        loss = torch.nn.functional.mse_loss(net(torch.zeros(2, config.width)).view(SIZE), torch.zeros(8))  # fails
        loss.backward()
        optimizer.step()
        wandb.log({"loss": loss.item()}, step=step)
    """


@pytest.mark.parametrize("size", ["8", "7"])
def test_a_script_that_asks_its_tracker_for_its_sizes_is_reached(tmp_path: Path, size: str) -> None:
    source = TRACKED.replace("SIZE", size)
    found = run(tmp_path, source)
    assert (found.whole, found.failure is None) == (size == "8", size == "8"), found
    assert found.failure is None or found.failure.frames[-1].line == line_of(source)


def test_only_what_a_tracker_keeps_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    module = StubFinder(("wandb",), [], "/").create_module(types.SimpleNamespace(name="wandb"))
    StubFinder(("wandb",), [], "/").exec_module(module)
    monkeypatch.setitem(sys.modules, "wandb", module)
    assert module.init(config={"a": 1}) is module.run
    assert module.config.a == 1
    assert module.Table is Anything
