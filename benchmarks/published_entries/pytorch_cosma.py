"""Entry points of pytorch-cosma: its transformers of images and autoencoders that classify too, with their losses."""

import torch
from pytorch_cosma.autoencoders import AutoencoderLayer
from pytorch_cosma.basic_layers import MaxMeanPooling, PositionalEncodingCosma
from pytorch_cosma.vision_transformer import VisionTransformer, WindowAttention


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        options = {"num_classes": 3, "embed_dim": 8, "num_layers": 1, "num_heads": 2, "mlp_dim": 16}
        self.model = VisionTransformer(img_size=16, patch_size=4, **options)

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.model(images), labels)


def images():
    return _Classified(), (torch.rand(2, 3, 16, 16), torch.tensor([0, 2]))


class _Autoencoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = AutoencoderLayer(6, 3, 6, num_classes=4, hidden_dim=8)
        self.model(torch.zeros(1, 6))  # whose last layer learns its size from the first batch

    def forward(self, features, labels):
        given, probabilities = self.model(features)
        of_class = torch.nn.functional.nll_loss(torch.log(probabilities + 1e-8), labels)
        return torch.nn.functional.mse_loss(given, features) + of_class


def autoencoder():
    return _Autoencoder(), (torch.randn(5, 6), torch.tensor([0, 3, 1, 1, 2]))


def windows():
    return WindowAttention(8, 2, 4), (torch.randn(3, 16, 8),)


class _Sequences(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.positions, self.pooling = PositionalEncodingCosma(d_model=8, max_len=10), MaxMeanPooling(dim=1)
        self.head = torch.nn.LazyLinear(3)
        self.head(self.pooling(self.positions(torch.zeros(1, 5, 8))))

    def forward(self, steps, labels):
        return torch.nn.functional.cross_entropy(self.head(self.pooling(self.positions(steps))), labels)


def sequences():
    return _Sequences(), (torch.randn(2, 5, 8), torch.tensor([0, 2]))
