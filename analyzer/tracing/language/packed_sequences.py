"""Packed sequences of PyTorch: traced as the padded tensor that they were made of, and told from it by its making."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Making, Tensor
from analyzer.tracing.language.values import Layer, Value

PACK = "torch.nn.utils.rnn.pack_padded_sequence"
PACKED = "torch.nn.utils.rnn.PackedSequence"
UNPACKED = "pad_packed_sequence"  # the name of a tensor that one was filled up to
_RECURRENT = ("torch.nn.RNN", "torch.nn.LSTM", "torch.nn.GRU")
MOST_LAYERS = 16  # that a packed sequence goes through one after another
MOST_SOURCES = 256  # that are looked at


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
    """Whether it stands for a packed sequence; None where it was computed of one, as `packed.to(device)` is."""
    if packing_of(value) is not None:
        return True
    pending, seen = [value], 0
    while pending:
        found = pending.pop()
        if (found.making is not None and found.making.name == PACK) or seen == MOST_SOURCES:
            return None
        seen += 1
        pending += [source for source in found.sources if source.name != UNPACKED] if found.name != UNPACKED else []
    return False
