"""Entry points of gemma4-pytorch-codex: its models of text in small, of pictures and of sounds, and their loss."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {
    "sentencepiece",
    "torchaudio",
    "torchaudio.functional",
    "torchvision",
    "torchvision.transforms",
    "torchvision.transforms.functional",
    "torchvision.transforms.v2",
} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # pictures, sounds and words that are made ready, as those here are already

from gemma4_pt_codex.audio import Gemma4AudioTower  # noqa: E402
from gemma4_pt_codex.config import (  # noqa: E402
    AttentionKind,
    AudioConfig,
    Gemma4Config,
    KVSharingConfig,
    TextConfig,
    VisionConfig,
)
from gemma4_pt_codex.model import Gemma4Model  # noqa: E402
from gemma4_pt_codex.vision import Gemma4VisionTower  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


def _text(**options):
    chosen = {
        "vocab_size": 32,
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_layers": 2,
        "num_heads": 2,
        "head_dim": 8,
        "num_kv_heads": 1,
        "global_head_dim": 8,
        "layer_types": (AttentionKind.SLIDING, AttentionKind.FULL),
        "sliding_window": 4,
        "per_layer_input_dim": 4,
        **options,
    }
    return TextConfig(**chosen)


class _Words(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.model = Gemma4Model(Gemma4Config(text=config))

    def forward(self, words):
        return self.model(words).logits


class _Next(_Words):
    def forward(self, words):
        logits = super().forward(words)
        return torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), words[:, 1:].flatten(), ignore_index=0)


def _words():
    """Two sentences, the second padded by 0."""
    words = torch.randint(1, 32, (2, 8))
    words[1, 6:] = 0
    return (words,)


def text():
    return _Words(_text()), _words()


def capped():
    return _Words(_text(attn_logits_softcap=50.0, final_logit_softcap=30.0)), _words()


def shared_keys():
    layers = (AttentionKind.SLIDING, AttentionKind.FULL) * 2
    return _Words(_text(num_layers=4, layer_types=layers, kv_sharing=KVSharingConfig(0.5))), _words()


def experts():
    config = _text(enable_moe=True, num_experts=4, expert_dim=8, top_k_experts=2, moe_dense_hidden_size=16)
    return _Words(config), _words()


def trained():
    return _Next(_text(final_logit_softcap=30.0, attn_impl="sdpa")), _words()


def pictures():
    config = VisionConfig(
        hidden_size=16, intermediate_size=32, num_layers=1, num_heads=2, num_kv_heads=2, head_dim=8, patch_size=4,
        position_embedding_size=16, output_length=4, pooling_kernel_size=2,
    )  # fmt: skip
    tower = Gemma4VisionTower(config)
    tower.init_weights()
    places = torch.stack(torch.meshgrid(torch.arange(4), torch.arange(4), indexing="xy"), -1).reshape(1, 16, 2)
    return tower, (torch.rand(2, 16, 48), places.repeat(2, 1, 1))


def sounds():
    config = AudioConfig(
        num_layers=1, hidden_size=16, output_size=12, num_heads=2, left_context=3, chunk_size=4, conv_kernel_size=3,
        subsampling_channels=(4, 4), num_mel_bins=16,
    )  # fmt: skip
    tower = Gemma4AudioTower(config)
    tower.init_weights()
    heard = torch.ones(2, 32, dtype=torch.bool)
    heard[1, 24:] = False
    return tower, (torch.randn(2, 32, 16), heard)
