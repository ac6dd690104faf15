"""Trainers of libraries on PyTorch, for a dry run: a few steps, no devices, nothing logged or written."""

from __future__ import annotations

import functools
import sys
from typing import Any


def adapters(progress: Any) -> dict[str, Any]:
    """What to do with each module as soon as it is imported."""
    return {
        "pytorch_lightning": lambda lightning: _lightning(lightning, progress),
        "lightning": lambda lightning: _lightning(lightning, progress),
        "transformers.training_args": lambda transformers: _transformers(transformers, progress),
    }


def _lightning(lightning: Any, progress: Any) -> None:
    trainer = getattr(lightning, "Trainer", None) or getattr(getattr(lightning, "pytorch", None), "Trainer", None)
    if trainer is None:
        return
    plain = trainer.__init__

    @functools.wraps(plain)
    def init(self: Any, *args: Any, **options: Any) -> None:
        progress.trainers = True
        logger = options.get("logger") is not False and _takes_everything(trainer)  # programs ask theirs by hand
        plain(self, accelerator="cpu", devices=1, fast_dev_run=progress.whole_batches + 1, logger=logger,
              enable_progress_bar=False, enable_model_summary=False)  # fmt: skip

    trainer.__init__ = init
    for name in ("validate", "test", "predict"):
        if hasattr(trainer, name):
            setattr(trainer, name, _without_checkpoint(getattr(trainer, name)))


def _takes_everything(trainer: Any) -> Any:
    """Lightning's own logger that logs nothing; one by default would import what it writes with."""
    loggers: Any = sys.modules.get(f"{trainer.__module__.partition('.trainer')[0]}.loggers.logger")
    return loggers.DummyLogger() if hasattr(loggers, "DummyLogger") else True


def _without_checkpoint(plain: Any) -> Any:
    """With the weights that the model has: nothing was written, and which are the best is not known."""

    @functools.wraps(plain)
    def method(self: Any, *args: Any, **options: Any) -> Any:
        if options.get("ckpt_path") in ("best", "last"):
            options["ckpt_path"] = None
        return plain(self, *args, **options)

    return method


def _transformers(transformers: Any, progress: Any) -> None:
    arguments = transformers.TrainingArguments
    plain = arguments.__init__

    @functools.wraps(plain)
    def init(self: Any, *args: Any, **options: Any) -> None:
        for name in ("fp16", "bf16", "deepspeed", "fsdp", "push_to_hub"):
            options.pop(name, None)
        progress.trainers = True
        options.update(max_steps=progress.whole_batches + 1, use_cpu=True, report_to=[])
        if not options.get("load_best_model_at_end"):
            options["save_strategy"] = "no"
        plain(self, *args, **options)
        if options.get("load_best_model_at_end"):  # which asks for a strategy; nothing is written for all that
            self.save_strategy = type(self.save_strategy)("no")

    arguments.__init__ = init
