"""Entry points of torchblocks-vp: its attentions, adapters and convolutions, alone and as the layer that they make."""

import torch
import torchblocks


def _get(kind, name):
    return torchblocks.get(kind, name)


class _Attention(torch.nn.Module):
    def __init__(self, name, causal=False):
        super().__init__()
        self.attention = _get("attention", name)(8, 4, 2, dropout=0.1)
        self.position, self.causal = _get("position", "rope")(2), causal

    def forward(self, x, *present):
        length = x.shape[1]
        mask = present[0][:, None, None] if present else None
        if self.causal:
            mask = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        return self.attention(x, *self.position(length, x.device), mask)[0]


def _present():
    present = torch.ones(2, 6, dtype=torch.bool)
    present[1, 4:] = False
    return present


def grouped():
    return _Attention("gqa"), (torch.randn(2, 6, 8), _present())


def causal():
    return _Attention("mha", causal=True), (torch.randn(2, 6, 8),)


class _Cross(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = _get("attention", "cross")(8, 4, 2)

    def forward(self, x, memory, present):
        return self.attention(x, memory, present[:, None, None])[0]


def crossed():
    return _Cross(), (torch.randn(2, 5, 8), torch.randn(2, 6, 8), _present())


def additive():
    return _get("attention", "bahdanau")(8, 6, 10), (torch.randn(2, 6), torch.randn(2, 6, 8), _present())


class _Layer(torch.nn.Module):
    """An encoder's layer of the blocks, with an adapter for each language."""

    def __init__(self):
        super().__init__()
        self.attention, self.conv = _Attention("gqa"), _get("conv", "local")(8, 3)
        self.forwards, self.adapter = (
            _get("feedforward", "swiglu")(8, 16),
            _get("adapter", "language_conditioned")(8, 4),
        )
        self.norms = torch.nn.ModuleList(_get("norm", "rmsnorm")(8) for _ in range(3))
        self.head = torch.nn.Linear(8, 20)

    def forward(self, x, present, language, words):
        x = x + self.attention(self.norms[0](x), present)
        x = x + self.conv(self.norms[1](x))
        x = self.adapter(x + self.forwards(self.norms[2](x)), language)
        return torch.nn.functional.cross_entropy(self.head(x).flatten(0, 1), words.flatten(), ignore_index=0)


def trained_layer():
    present = _present()
    words = torch.randint(1, 20, (2, 6)) * present
    return _Layer(), (torch.randn(2, 6, 8), present, torch.randn(2, 8), words)
