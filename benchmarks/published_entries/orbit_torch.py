"""Entry points of orbit-torch: its blocks of attention, experts, convolutions, fusion and quantization, with losses."""

import sys
import types

import torch

for _name in ("orbit", "orbit.utils"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from orbit.utils.freeze import count_params, freeze_layers, unfreeze_layers  # noqa: E402
from orbit.utils.initialization import auto_initialize  # noqa: E402
from orbit.utils.layer_io import load_model, save_model  # noqa: E402

for _given in (count_params, freeze_layers, unfreeze_layers, auto_initialize, load_model, save_model):
    setattr(sys.modules["orbit.utils"], _given.__name__, _given)

from orbit.model.block import (  # noqa: E402
    LFQ,
    TCN,
    CompactMultimodalPooling,
    GatedMultimodalUnit,
    LowRankFusion,
    MoE,
    MultiHeadAttention,
    RotaryPositionalEmbedding,
)


class _Language(torch.nn.Module):
    """The next word, with what balances the experts."""

    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(20, 16)
        self.attention = MultiHeadAttention(16, 4, num_kv_heads=2, use_gate=True)
        self.rotary, self.experts = RotaryPositionalEmbedding(4, max_len=32), MoE(16, 16, num_experts=3, top_k=2)
        self.first, self.second, self.head = torch.nn.LayerNorm(16), torch.nn.LayerNorm(16), torch.nn.Linear(16, 20)

    def forward(self, words):
        given = self.words(words[:, :-1])
        mask = torch.ones(given.shape[1], given.shape[1], dtype=torch.bool).tril()
        attended = self.attention(
            self.first(given), attention_mask=mask, rotary_emb=self.rotary, output_attentions=True
        )
        given = given + attended.output
        routed, balance = self.experts(self.second(given))
        logits = self.head(given + routed)
        return torch.nn.functional.cross_entropy(logits.transpose(1, 2), words[:, 1:]) + 0.01 * balance


def language():
    return _Language(), (torch.tensor([[3, 7, 2, 19, 4, 8], [5, 6, 1, 9, 2, 11]]),)


class _Steps(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network, self.head = TCN(3, num_channels=[6, 8], kernel_size=3), torch.nn.Linear(8, 1)

    def forward(self, series, wanted):
        return torch.nn.functional.mse_loss(self.head(self.network(series)[:, :, -1]), wanted)


def steps():
    return _Steps(), (torch.randn(2, 3, 12), torch.randn(2, 1))


class _Quantized(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = torch.nn.Conv2d(3, 8, 2, stride=2), torch.nn.ConvTranspose2d(8, 3, 2, stride=2)
        self.quantizer = LFQ(latent_dim=8, codebook_dim=4)

    def forward(self, images):
        quantized = self.quantizer(self.encoder(images))
        return torch.nn.functional.mse_loss(self.decoder(quantized.z_q), images) + quantized.loss


def quantized():
    return _Quantized(), (torch.rand(2, 3, 8, 8),)


class _Fused(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(
            [LowRankFusion([5, 3], 6, rank=2), GatedMultimodalUnit([5, 3], 6), CompactMultimodalPooling([5, 3], 16)]
        )
        self.head = torch.nn.Linear(28, 3)

    def forward(self, first, second, labels):
        given = torch.cat([layer([first, second]) for layer in self.layers], dim=-1)
        return torch.nn.functional.cross_entropy(self.head(given), labels)


def fused():
    return _Fused(), (torch.randn(4, 5), torch.randn(4, 3), torch.tensor([0, 2, 1, 1]))
