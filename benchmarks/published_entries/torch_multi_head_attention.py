"""Entry points of torch-multi-head-attention: a causal model of words, masked attention across texts and its core."""

import torch
from torch_multi_head_attention import MultiHeadAttention, ScaledDotProductAttention


class _Words(torch.nn.Module):
    """The next word, by what came before it; padding is word 0."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(20, 16, padding_idx=0)
        self.attention, self.norm = MultiHeadAttention(16, 4), torch.nn.LayerNorm(16)
        self.output, self.loss = torch.nn.Linear(16, 20), torch.nn.CrossEntropyLoss(ignore_index=0)

    def forward(self, words):
        steps = self.embedding(words)
        mask = MultiHeadAttention.gen_history_mask(steps)
        steps = self.norm(steps + self.attention(steps, steps, steps, mask))
        return self.loss(self.output(steps)[:, :-1].flatten(0, 1), words[:, 1:].flatten())


def words():
    return _Words(), torch.tensor([[3, 7, 2, 19, 4, 1], [5, 6, 1, 0, 0, 0]])


class _Across(torch.nn.Module):
    def __init__(self, activation=None):
        super().__init__()
        self.attention, self.output = (
            MultiHeadAttention(16, 2, bias=False, activation=activation),
            torch.nn.Linear(16, 1),
        )
        self.loss = torch.nn.BCEWithLogitsLoss()

    def forward(self, questions, texts, mask, labels):
        mask = mask[:, None].expand(-1, questions.shape[1], -1)
        found = self.attention(questions, texts, texts, mask)
        return self.loss(self.output(found.mean(1)).squeeze(-1), labels)


def across():
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]])
    return _Across(), (torch.randn(2, 3, 16), torch.randn(2, 5, 16), mask, torch.tensor([1.0, 0.0]))


class _Core(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.attention = torch.nn.Linear(6, 24), ScaledDotProductAttention()

    def forward(self, steps, mask):
        return self.attention(*self.layers(steps).chunk(3, -1), mask)


def core():
    return _Core(), (torch.randn(2, 5, 6), torch.tril(torch.ones(5, 5)))
