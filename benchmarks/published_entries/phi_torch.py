"""Entry points of phi-torch: its transformer in small with the loss of the next word, and an encoder of pictures."""

import sys
import types

import torch

_package = sys.modules["phicore"] = types.ModuleType("phicore")  # its modules call the folder so
_package.__path__ = ["phi/core"]

from phicore.autoregressive_wrapper import AutoregressiveWrapper  # noqa: E402
from phicore.transformer import Decoder, Encoder, Transformer, ViTransformerWrapper  # noqa: E402


class _Next(torch.nn.Module):
    def __init__(self, mask_prob=0.0, **options):
        super().__init__()
        layers = Decoder(dim=16, depth=2, dim_head=8, heads=2, **options)
        model = Transformer(num_tokens=20, max_seq_len=16, use_abs_pos_emb=False, attn_layers=layers)
        self.model = AutoregressiveWrapper(model, mask_prob=mask_prob)

    def forward(self, words):
        return self.model(words)[1]


def _words():
    return (torch.randint(1, 20, (2, 9)),)


def as_published():
    published = {
        "alibi_pos_bias": True, "alibi_num_heads": 1, "rotary_xpos": True, "attn_one_kv_head": True, "qk_norm": True,
        "attn_qk_norm": True, "attn_qk_norm_dim_scale": True,
    }  # fmt: skip
    return _Next(**published), _words()


def masked_words():
    return _Next(mask_prob=0.15, rotary_pos_emb=True, use_rmsnorm=True, ff_glu=True), _words()


def relative():
    return _Next(rel_pos_bias=True, sandwich_norm=True, ff_relu_squared=True), _words()


class _Read(torch.nn.Module):
    def __init__(self):
        super().__init__()
        layers = Encoder(dim=16, depth=1, dim_head=8, heads=2, use_scalenorm=True)
        self.model = Transformer(num_tokens=20, max_seq_len=16, attn_layers=layers, num_memory_tokens=2)

    def forward(self, words, present):
        return self.model(words, mask=present)


def read():
    present = torch.ones(2, 8, dtype=torch.bool)
    present[1, 5:] = False
    return _Read(), (torch.randint(1, 20, (2, 8)), present)


def pictures():
    layers = Encoder(dim=16, depth=1, dim_head=8, heads=2)
    return ViTransformerWrapper(image_size=16, patch_size=4, num_classes=5, attn_layers=layers), (
        torch.rand(2, 3, 16, 16),
    )
