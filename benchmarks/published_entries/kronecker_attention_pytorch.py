"""Entry points of kronecker-attention-pytorch: its attention over rows and columns in a classifier and a denoiser."""

import torch
from kronecker_attention_pytorch import KroneckerSelfAttention


class _Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.attention = KroneckerSelfAttention(8, heads=2, dim_heads=4)
        self.head = torch.nn.Linear(8, 3)
        self.loss = torch.nn.CrossEntropyLoss()

    def forward(self, images, labels):
        given = torch.relu(self.stem(images))
        given = given + self.attention(given)
        return self.loss(self.head(given.mean(dim=(2, 3))), labels)


def classifier():
    return _Classifier(), (torch.rand(2, 3, 8, 8), torch.tensor([2, 0]))


class _Denoiser(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Conv2d(1, 6, 3, padding=1), torch.nn.Conv2d(6, 1, 1)
        self.attention = KroneckerSelfAttention(6, heads=3, dim_heads=2)

    def forward(self, noisy, clean):
        given = self.last(self.attention(torch.relu(self.first(noisy))))
        return torch.nn.functional.mse_loss(given, clean)


def denoiser():
    clean = torch.rand(2, 1, 6, 10)
    return _Denoiser(), (clean + 0.1 * torch.randn(2, 1, 6, 10), clean)
