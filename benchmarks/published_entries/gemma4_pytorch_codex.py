"""Entry points of gemma4-pytorch-codex: its towers of texts in small sizes, with the loss of the next token."""

import sys
from unittest.mock import MagicMock

import torch

for _name in (
    "torchvision.transforms.v2.functional",
    "torchvision.transforms.v2",
    "torchvision.transforms",
    "torchvision.io",
    "torchvision",
    "torchaudio.functional",
    "torchaudio",
    "sentencepiece",
):
    sys.modules[_name] = MagicMock()  # readers of pictures, sounds and words, which nothing here needs

from gemma4_pt_codex.config import TextConfig  # noqa: E402
from gemma4_pt_codex.text import Gemma4TextTower  # noqa: E402


class _Predicting(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        sizes = {"vocab_size": 60, "hidden_size": 32, "intermediate_size": 48, "num_layers": 2, "num_heads": 4}
        heads = {"head_dim": 8, "num_kv_heads": 2, "global_head_dim": 8, "per_layer_input_dim": 8}
        self.model = Gemma4TextTower(TextConfig(**{**sizes, **heads, **options}))
        self.model.init_weights()

    def forward(self, tokens, wanted):
        length = tokens.shape[1]
        causal = torch.ones(length, length, dtype=torch.bool).tril() & (tokens != 0)[:, None]
        positions = torch.arange(length).expand_as(tokens)
        hidden = self.model(tokens, position_ids=positions, full_attention_mask=causal)
        scores = self.model.project_logits(hidden).transpose(1, 2)
        return torch.nn.functional.cross_entropy(scores, wanted, ignore_index=0)


def _tokens():
    tokens = torch.randint(1, 60, (2, 9))
    tokens[1, 7:] = 0
    return tokens, tokens.roll(-1, 1)


def next_token():
    return _Predicting(), _tokens()


def softly_capped():
    return _Predicting(attn_logits_softcap=50.0), _tokens()


def experts():
    options = {"num_experts": 4, "expert_dim": 16, "top_k_experts": 2, "moe_dense_hidden_size": 32}
    return _Predicting(enable_moe=True, **options), _tokens()
