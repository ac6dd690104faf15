"""Entry points of darkformer-pytorch: its language model, encoder and decoder with random features, and losses."""

import torch
from darkformer_pytorch import CrossAttention, Darkformer, DarkformerEncDec, DarkformerLM

SIZES = {"heads": 2, "head_dim": 8, "num_features": 8, "geometry_rank": 4, "projection_seed": 3}


class _Language(torch.nn.Module):
    """The model computes the loss of the next word itself; attention is told what is padding."""

    def __init__(self, **options):
        super().__init__()
        self.model = DarkformerLM(20, 16, 2, max_seq_len=16, **SIZES, **options)

    def forward(self, words, mask):
        return self.model(words, mask=mask, labels=words)


def _words():
    words = torch.tensor([[3, 7, 2, 19, 4, 4, 8, 1], [5, 6, 1, 0, 0, 0, 0, 0]])
    return words, words != 0


def language():
    return _Language(causal_chunk_size=4, dropout=0.1), _words()


def language_exact():
    return _Language(attention_mode="exact"), _words()


class _Translation(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = DarkformerEncDec(20, 18, 16, 1, **SIZES)

    def forward(self, source, source_mask, target, target_mask):
        return self.model(source, target, source_mask=source_mask, target_mask=target_mask, labels=target)


def translation():
    target = torch.tensor([[1, 9, 17, 2, 0], [1, 4, 2, 0, 0]])
    return _Translation(), (*_words(), target, target != 0)


class _Encoded(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.output = Darkformer(16, 2, **SIZES), torch.nn.Linear(16, 3)
        self.loss = torch.nn.CrossEntropyLoss()

    def forward(self, steps, mask, labels):
        encoded = self.encoder(steps, mask=mask)
        mean = (encoded * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return self.loss(self.output(mean), labels)


def encoded():
    return _Encoded(), (torch.randn(2, 8, 16), _words()[1], torch.tensor([0, 2]))


class _Across(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = CrossAttention(dim=16, attention_mode="linear", **SIZES)

    def forward(self, steps, context, context_mask):
        return self.attention(steps, context, context_mask=context_mask)


def across():
    return _Across(), (torch.randn(2, 4, 16), torch.randn(2, 8, 16), _words()[1])
