"""What the entry points that `assay init` writes share: definitions at the head of their file, those that are used."""

from __future__ import annotations

import re
from collections.abc import Iterable

_CALL = '''
import torch


class _Call(torch.nn.Module):
    """A model called with settings besides its tensors."""

    def __init__(self, model, call):
        super().__init__()
        self.model, self.call = model, call

    def forward(self, *inputs):
        return self.call(self.model, *inputs)
'''
_LOSSES = '''
import tensorflow as tf


def _losses(step):
    """The losses that a training step hands to its tapes, as a function of the batch; no weight is updated."""

    @tf.autograph.experimental.do_not_convert
    def losses(*batch):
        found, gradient = [], tf.GradientTape.gradient

        def kept(tape, target, sources, *rest, **more):
            if not all(isinstance(source, tf.Tensor) for source in tf.nest.flatten(sources)):
                found.append(target)  # of weights: a penalty takes its gradient by an input
            return gradient(tape, target, sources, *rest, **more)

        tf.GradientTape.gradient = kept
        try:
            step(*batch)
        except Exception:
            if not found:
                raise  # what fails behind the losses is the update, for want of an optimizer
        finally:
            tf.GradientTape.gradient = gradient
        return found

    return losses
'''
_LOSS = '''
from unittest.mock import MagicMock


class _Reached(BaseException):
    """A training step has computed its loss."""


class _Batches(list):
    """A loader."""

    @property
    def dataset(self):
        return self


def _loss(step):
    """What a training step calls `backward` of, first of all; no weight is updated."""
    found, backward, train = [], torch.Tensor.backward, torch.nn.Module.train

    def kept(loss, *rest, **more):
        found.append(loss)
        raise _Reached

    torch.Tensor.backward, torch.nn.Module.train = kept, lambda module, mode=True: module
    try:
        step()
    except _Reached:
        pass
    finally:
        torch.Tensor.backward, torch.nn.Module.train = backward, train
    return found[0]
'''
_HELPERS = {"_Call": _CALL, "_loss": _LOSS, "_losses": _LOSSES}


def helpers(lines: Iterable[str]) -> str:
    """The definitions that `lines` use."""
    text = "\n".join(lines)
    used = [definition for name, definition in _HELPERS.items() if re.search(rf"(?<![\w.]){name}\(", text)]
    return "\n".join(definition.rstrip() + "\n" for definition in used)
