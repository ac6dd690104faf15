"""Entry points of igfold-pytorch: the layers of its predictor of antibody structures, and the whole."""

import sys
import types

import torch

_package = sys.modules["igfold_pytorch"] = types.ModuleType("igfold_pytorch")
_package.__path__ = ["igfold_pytorch"]

from igfold_pytorch.igfold_pytorch import (  # noqa: E402
    IGFold,
    IGFoldLayer,
    InvariantPointAttentionBlock,
    TriMultUpdate,
)


def _frames(batch, length):
    """Rotations and places of the residues."""
    return torch.linalg.qr(torch.randn(batch, length, 3, 3))[0], torch.randn(batch, length, 3)


def _made(model, inputs):
    """The model with its lazy layers made by a first run."""
    model(*inputs)
    return model, inputs


def triangles():
    return TriMultUpdate(8), (torch.randn(1, 6, 6, 8),)


def graph_layer():
    return _made(IGFoldLayer(8, 4, 2), (torch.randn(1, 6, 8), torch.randn(1, 6, 6, 8)))


def point_attention():
    block = InvariantPointAttentionBlock(8, d_head_scalar=4, d_head_point=2, n_head=2)
    return block, (torch.randn(1, 6, 8), torch.randn(1, 6, 6, 8), *_frames(1, 6))


def whole():
    model = IGFold(16, 8, 2, n_graph_transformer_layers=1, n_ipa_temp_layers=1)
    return _made(model, (torch.randn(1, 6, 12), torch.randn(1, 6, 6, 12), *_frames(1, 6)))
