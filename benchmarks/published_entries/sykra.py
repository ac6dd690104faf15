"""Entry points of sykra: its language model of gated memories and attention, small, and its layers."""

import sys
import types

import torch

_package = sys.modules["sykra"] = types.ModuleType("sykra")
_package.__path__ = ["sykra"]

from sykra.configuration_sykra import SykraConfig  # noqa: E402
from sykra.modeling_sykra import SykraForCausalLM, SykraMLP, SykraRMSNorm  # noqa: E402


def _config(**settings):
    sizes = {"vocab_size": 20, "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "head_dim": 8}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "chunk_size": 4, "max_position_embeddings": 32}
    return SykraConfig(use_cache=False, **sizes, **heads, **settings)


class _Language(torch.nn.Module):
    def __init__(self, **settings):
        super().__init__()
        self.model = SykraForCausalLM(_config(**settings))

    def forward(self, words):
        scores = self.model(words[:, :-1]).logits
        return torch.nn.functional.cross_entropy(scores.flatten(0, 1).float(), words[:, 1:].flatten())


def language():
    return _Language(delta_ratio=1), torch.randint(20, (2, 9))


def language_of_memories():
    return _Language(), torch.randint(20, (2, 9))


class _Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.layer = SykraRMSNorm(16), SykraMLP(_config())

    def forward(self, hidden):
        return self.layer(self.norm(hidden))


def layer():
    return _Layer(), torch.randn(2, 5, 16)
