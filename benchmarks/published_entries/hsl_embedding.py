"""Entry points of hsl-embedding: what networks read of bytes by its signals, and by its controls that are learned."""

import torch
from hsl_embedding import Embedding
from hsl_embedding.ablation import ControlEmbedding


def _bytes():
    sentences = [b"a signal of bytes", b"of another kind."]
    return torch.tensor([list(sentence[:16]) for sentence in sentences])


class _Next(torch.nn.Module):
    """The next byte."""

    def __init__(self, embedding):
        super().__init__()
        self.embedding, self.recurrent = embedding, torch.nn.GRU(embedding.out_dim, 8, batch_first=True)
        self.head = torch.nn.Linear(8, 256)

    def forward(self, ids):
        logits = self.head(self.recurrent(self.embedding(ids[:, :-1]))[0])
        return torch.nn.functional.cross_entropy(logits.transpose(1, 2), ids[:, 1:])


def signals():
    return _Next(Embedding(include_bits=True)), (_bytes(),)


def learned():
    return _Next(ControlEmbedding("learned", seed=1)), (_bytes(),)


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = Embedding(momentum_phase=True)
        self.body, self.head = torch.nn.Conv1d(self.embedding.out_dim, 8, 3, padding=1), torch.nn.Linear(9, 3)

    def forward(self, ids, labels):
        signals, phase = self.embedding(ids, return_phase=True)
        given = torch.relu(self.body(signals.transpose(1, 2))).mean(2)
        given = torch.cat([given, phase.cos().mean(1, keepdim=True)], 1)
        return torch.nn.functional.cross_entropy(self.head(given), labels)


def classified():
    return _Classified(), (_bytes(), torch.tensor([2, 0]))
