"""Entry points of lora-adapters: small networks whose weights stay and get adapters of low rank, with their losses."""

import torch
from lora_adapters import LoraConv2d, LoraEmbedding, LoraLinear, LoraMergedLinear, apply_adapter


class _Classified(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, samples, labels):
        return torch.nn.functional.cross_entropy(self.model(samples), labels)


def _perceptron():
    layers = torch.nn.Linear(6, 16), torch.nn.LayerNorm(16), torch.nn.GELU(), torch.nn.Linear(16, 3)
    return torch.nn.Sequential(*layers)


def linear():
    model = apply_adapter(_perceptron(), LoraLinear, rank=2, lora_alpha=4, lora_dropout=0.1)
    return _Classified(model), (torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0]))


def pictures():
    layers = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 8, 3, stride=2)
    head = torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(8, 3)
    model = apply_adapter(torch.nn.Sequential(*layers, *head), LoraConv2d, rank=2, lora_alpha=2)
    return _Classified(model), (torch.rand(3, 3, 8, 8), torch.tensor([0, 2, 1]))


class _Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = LoraEmbedding(torch.nn.Embedding(12, 8), rank=2)
        self.projection = LoraMergedLinear(torch.nn.Linear(8, 24), rank=2, enable_lora=[True, False, True])
        self.head = LoraLinear(torch.nn.Linear(8, 12), rank=2)

    def forward(self, words, following):
        hidden = self.embedding(words)
        query, key, value = self.projection(hidden).chunk(3, dim=-1)
        mixed = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return torch.nn.functional.cross_entropy(self.head(hidden + mixed).flatten(0, 1), following.flatten())


def language():
    words = torch.tensor([[3, 7, 2, 9, 11], [5, 1, 10, 4, 0]])
    return _Language(), (words[:, :-1], words[:, 1:])
