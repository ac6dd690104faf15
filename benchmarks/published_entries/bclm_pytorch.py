"""Entry points of bclm-pytorch: its language model of oscillators and attention, with its loss, and its filters."""

import sys
import types

import torch

_package = sys.modules["bclm"] = types.ModuleType("bclm")
_package.__path__ = ["bclm"]

from bclm.config import BCLM1ModelConfig  # noqa: E402
from bclm.model import BCLM1Model, CausalOscillatorFilter, HarmonicMixerBlock  # noqa: E402


def _config():
    sizes = {"vocab_size": 64, "embed_dim": 16, "n_layers": 2, "max_seq_len": 16, "attn_heads": 2, "attn_kv_heads": 1}
    return BCLM1ModelConfig(**sizes, local_attn_layers=(0,), attn_window_size=4, osc_n_real=4)


class _Trained(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = BCLM1Model(_config())

    def forward(self, words):
        return self.model(words[:, :-1], words[:, 1:])[1]


def language():
    return _Trained(), (torch.randint(64, (2, 9)),)


def oscillators():
    return CausalOscillatorFilter(8, 2, 4, clamp_min_decay=1e-5, max_len=16), (torch.randn(2, 7, 8),)


def mixer():
    return HarmonicMixerBlock(16, _config()), (torch.randn(2, 7, 16),)
