"""Entry points of se3-transformer-pytorch: features of atoms, refined coordinates, a loss on them."""

import torch
from se3_transformer_pytorch import SE3Transformer


class Mean(torch.nn.Module):
    def __init__(self, output_degrees=1, **options):
        super().__init__()
        self.net = SE3Transformer(dim=8, heads=2, depth=1, dim_head=4, num_neighbors=4, num_degrees=2,
                                  output_degrees=output_degrees, **options)  # fmt: skip

    def forward(self, feats, coors, mask):
        made = self.net(feats, coors, mask)
        return made["0"] if isinstance(made, dict) else made


class Denoised(Mean):
    """The loss of the README's denoising script: noise predicted from type-1 features."""

    def forward(self, feats, coors, mask, noise):
        predicted = coors + noise + self.net(feats, coors + noise, mask, return_type=1).mean(-2)
        return torch.nn.functional.mse_loss(predicted[mask], coors[mask])


def _inputs():
    return torch.randn(1, 8, 8), torch.randn(1, 8, 3), torch.ones(1, 8).bool()


def features():
    return Mean(), _inputs()


def gated():
    return Mean(norm_gated_scale=True, attend_self=True, use_null_kv=True), _inputs()


def rotary():
    return Mean(rotary_position=True, rotary_rel_dist=True), _inputs()


def graph_network():
    return Mean(use_egnn=True, norm_out=True), _inputs()


def denoising():
    return Denoised(output_degrees=2, reduce_dim_out=False), (*_inputs(), torch.randn(1, 8, 3) * 0.1)
