"""Entry points of nvsubquadratic: its attention over grids, its norms and a network of fields, with losses."""

import torch
from nvsubquadratic.modules.attention import Attention
from nvsubquadratic.modules.causal_conv1d import CausalConv1D
from nvsubquadratic.modules.drop_path import DropPath
from nvsubquadratic.modules.film import KernelFiLMGenerator, RegisterPooling
from nvsubquadratic.modules.grn import GlobalResponseNorm
from nvsubquadratic.modules.layer_scale import LayerScale
from nvsubquadratic.modules.patchify import Patchify, Unpatchify
from nvsubquadratic.modules.position_encoding import PositionEmbeddingND
from nvsubquadratic.modules.rms_norm import PerHeadRMSNorm, RMSNorm
from nvsubquadratic.networks.baselines.unet_convnext_v2 import UNetConvNextV2


class _Block(torch.nn.Module):
    def __init__(self, size, **options):
        super().__init__()
        self.norm, self.projection, self.out = (
            RMSNorm(size),
            torch.nn.Linear(size, 3 * size),
            torch.nn.Linear(size, size),
        )
        self.attention, self.scale, self.drop = Attention(size, 2, **options), LayerScale(size), DropPath(0.1)
        self.first, self.second = torch.nn.Linear(size, 2 * size), torch.nn.Linear(2 * size, size)
        self.mlp_norm, self.response = RMSNorm(size), GlobalResponseNorm(2 * size)

    def forward(self, hidden):
        query, key, value = self.projection(self.norm(hidden)).chunk(3, dim=-1)
        hidden = hidden + self.drop(self.scale(self.out(self.attention(query, key, value))))
        inner = self.response(torch.nn.functional.gelu(self.first(self.mlp_norm(hidden))))
        return hidden + self.drop(self.second(inner))


class _Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.convolution = torch.nn.Embedding(12, 8), CausalConv1D(8, 8, 3, groups=8)
        options = {"apply_qk_norm": True, "use_rope": True, "is_causal": True, "rope_spatial_dims": (4,)}
        self.block, self.head = _Block(8, **options), torch.nn.Linear(8, 12)

    def forward(self, words, following):
        hidden = self.embedding(words)
        hidden = hidden + self.convolution(hidden.transpose(1, 2)).transpose(1, 2)
        return torch.nn.functional.cross_entropy(self.head(self.block(hidden)).flatten(0, 1), following.flatten())


def language():
    words = torch.tensor([[3, 7, 2, 9, 11], [5, 1, 10, 4, 0]])
    return _Language(), (words[:, :-1], words[:, 1:])


class _Pictures(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.patches, self.places = Patchify(3, 8, data_dim=2, patch_size=2), PositionEmbeddingND(8, 2, (8, 8))
        self.block, self.norm = _Block(8, apply_qk_norm=False, use_rope=False), PerHeadRMSNorm(2, 4)
        self.out = Unpatchify(8, 3, data_dim=2, patch_size=2)

    def forward(self, pictures, clean):
        hidden = self.patches(pictures)
        hidden = self.norm(self.block(hidden + self.places(hidden)))
        return torch.nn.functional.mse_loss(self.out(hidden), clean)


def pictures():
    clean = torch.rand(2, 8, 8, 3)
    return _Pictures(), (clean + 0.1 * torch.randn(2, 8, 8, 3), clean)


class _Conditioned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.pooling, self.film = RegisterPooling(3), KernelFiLMGenerator(6, 8, 2, film_hidden_dim=16)
        self.layers = torch.nn.ModuleList(torch.nn.Linear(size, 8) for size in (1, 8))
        self.head = torch.nn.Linear(8, 1)

    def forward(self, registers, places, values):
        hidden = places
        for layer, (scale, shift) in zip(self.layers, self.film(self.pooling(registers)), strict=True):
            hidden = torch.sin(scale.unsqueeze(1) * layer(hidden) + shift.unsqueeze(1))
        return torch.nn.functional.mse_loss(self.head(hidden), values)


def conditioned():
    return _Conditioned(), (torch.randn(2, 3, 6), torch.linspace(-1, 1, 5).view(1, 5, 1), torch.randn(2, 5, 1))


class _Fields(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = UNetConvNextV2(2, 2, n_spatial_dims=2, stages=2, init_features=4)

    def forward(self, now, following):
        return torch.nn.functional.mse_loss(self.model(now), following)


def fields():
    now = torch.nn.functional.avg_pool2d(torch.randn(1, 2, 16, 16), 3, 1, 1)
    return _Fields(), (now, now + 0.05 * torch.randn(1, 2, 16, 16))
