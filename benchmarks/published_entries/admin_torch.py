"""Entry points of admin-torch: residuals scaled for their depth in a transformer, a perceptron and convolutions."""

import admin_torch
import torch


class _Layer(torch.nn.Module):
    """Normalised after its residuals, as those who scale them advise."""

    def __init__(self, residuals, **options):
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
        self.words = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 8))
        self.norms = torch.nn.ModuleList([torch.nn.LayerNorm(8), torch.nn.LayerNorm(8)])
        self.residuals = torch.nn.ModuleList([admin_torch.as_module(residuals, **options) for _ in range(2)])

    def forward(self, given, padding):
        attended = self.attention(given, given, given, key_padding_mask=padding, need_weights=False)[0]
        given = self.norms[0](self.residuals[0](given, attended))
        return self.norms[1](self.residuals[1](given, self.words(given)))


class _Sentences(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.words, self.head = torch.nn.Embedding(20, 8, padding_idx=0), torch.nn.Linear(8, 3)
        self.layers = torch.nn.ModuleList([_Layer(4, **options) for _ in range(2)])

    def forward(self, words, labels):
        given, padding = self.words(words), words == 0
        for layer in self.layers:
            given = layer(given, padding)
        real = (~padding)[..., None]
        return torch.nn.functional.cross_entropy(self.head((given * real).sum(1) / real.sum(1)), labels)


def _sentences():
    return torch.tensor([[3, 7, 2, 19, 4, 8], [5, 6, 1, 0, 0, 0]]), torch.tensor([2, 0])


def transformer():
    return _Sentences(as_parameter=True, embed_dim=8), _sentences()


def transformer_of_buffers():
    return _Sentences(output_change_scale="O(1)"), _sentences()


class _Images(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Conv2d(3, 6, 3, padding=1), torch.nn.Conv2d(6, 6, 3, padding=1)
        self.head = torch.nn.Linear(6, 4)
        admin_torch.as_parameter(self, "omega", 3, 6)

    def forward(self, images, labels):
        given = torch.relu(self.first(images))
        given = given * self.omega[:, None, None] + torch.relu(self.second(given))
        return torch.nn.functional.cross_entropy(self.head(given.mean((2, 3))), labels)


def images():
    return _Images(), (torch.rand(2, 3, 8, 8), torch.tensor([3, 1]))
