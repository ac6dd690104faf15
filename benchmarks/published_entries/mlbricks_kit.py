"""Entry points of mlbricks-kit: its language models and layers in plain PyTorch, small, with their losses."""

import torch
from mlbricks import ESA, FFN, Bolt, BoltModel, Brick, Bricks


class _Language(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, words):
        logits = self.model(words[:, :-1])
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), words[:, 1:].flatten())


def _words():
    return (torch.tensor([[3, 7, 2, 9, 14, 1, 8], [5, 12, 11, 4, 19, 1, 6]]),)


def bolt():
    model = BoltModel(
        vocab_size=20, context=16, layers=2, dim=16, heads=2, latent_dim=8, position="rope", backend="pytorch"
    )
    return _Language(model), _words()


def bolt_with_states():
    model = BoltModel(
        vocab_size=20,
        context=16,
        layers=2,
        dim=16,
        heads=2,
        latent_dim=8,
        ffn="saffn",
        residual="rescontroller",
        norm="rmsnorm",
        backend="pytorch",
    )
    return _Language(model), _words()


def bricks():
    esa, attention = ESA(embd=16, head=2, device=None, backend="pytorch"), Bolt(16, 2, latent_dim=8, backend="pytorch")
    layers = [
        Brick(mixer=esa, ffn=FFN(16, 32, activation="gelu"), dim=16),
        Brick(mixer=attention, ffn=FFN(16, 32, activation="gelu"), dim=16),
    ]
    model = Bricks(vocab_size=20, dim=16, context=16, position="sinusoidal", layers=layers, backend="pytorch")
    return _Language(model), _words()
