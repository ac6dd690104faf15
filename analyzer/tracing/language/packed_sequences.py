"""Packed sequences of PyTorch: traced as the padded tensor that they were made of, and told from it by its making."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Making, Tensor
from analyzer.tracing.language.values import Layer, Value

PACK = "torch.nn.utils.rnn.pack_padded_sequence"
PACKED = "torch.nn.utils.rnn.PackedSequence"
UNPACKED = "pad_packed_sequence"  # the name of a tensor that one was filled up to
_RECURRENT = ("torch.nn.RNN", "torch.nn.LSTM", "torch.nn.GRU")
MOST_LAYERS = 16  # that a packed sequence goes through one after another
MOST_STEPS = 16  # from a packed sequence, each computed of the one before alone


def packing_of(value: Value) -> Making | None:
    """The call that packed it, or what went through recurrent layers to give it."""
    for _ in range(MOST_LAYERS):
        making = value.making if isinstance(value, Tensor) else None
        if making is None or making.name == PACK:
            return making
        recurrent = isinstance(making.owner, Layer) and making.owner.name in _RECURRENT and making.index == 0
        value = making.args[0] if recurrent and making.args else None
    return None


def is_packed(value: Tensor) -> bool | None:
    """Whether it stands for a packed sequence; None where it was computed of one alone, as `packed.to(device)` is.

    After so many steps it is a tensor: what a long network gives is asked for its class as well.
    """
    if packing_of(value) is not None:
        return True
    for _ in range(MOST_STEPS):
        if value.name == UNPACKED or len(value.sources) != 1:
            return False
        (value,) = value.sources
        if value.making is not None and value.making.name == PACK:
            return None
    return False
