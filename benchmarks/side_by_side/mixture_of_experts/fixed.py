"""A transformer layer whose feed-forward part is a mixture of experts."""

import torch
import torch.nn as nn
from jaxtyping import Float
from torch import Tensor


class Experts(nn.Module):
    def __init__(self, experts: int, dim: int, hidden: int):
        super().__init__()
        self.w1 = nn.Parameter(torch.randn(experts, dim, hidden) * dim**-0.5)
        self.w2 = nn.Parameter(torch.randn(experts, hidden, dim) * hidden**-0.5)

    def forward(self, x: Float[Tensor, "experts slots dim"]) -> Float[Tensor, "experts slots dim"]:
        hidden = torch.einsum("esd,edh->esh", x, self.w1).relu()
        return torch.einsum("esh,ehd->esd", hidden, self.w2)


class SoftMoE(nn.Module):
    def __init__(self, dim: int = 32, experts: int = 4, slots: int = 6, hidden: int = 80):
        super().__init__()
        self.slots = slots
        self.phi = nn.Parameter(torch.randn(dim, experts, slots))
        self.experts = Experts(experts, dim, hidden)

    def forward(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b n dim"]:
        logits = torch.einsum("bnd,des->bnes", x, self.phi)
        dispatch = logits.softmax(dim=1)
        combine = logits.flatten(2).softmax(dim=-1).view_as(logits)
        inputs = torch.einsum("bnd,bnes->besd", x, dispatch)
        b, e, s, d = inputs.shape
        outputs = self.experts(inputs.transpose(0, 1).reshape(e, b * s, d))
        outputs = outputs.view(e, b, s, d).transpose(0, 1)
        return torch.einsum("besd,bnes->bnd", outputs, combine)


class Layer(nn.Module):
    def __init__(self, dim: int = 32):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attention = nn.MultiheadAttention(dim, 4, batch_first=True)
        self.moe = SoftMoE(dim)

    def forward(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b n dim"]:
        h = self.norm1(x)
        x = x + self.attention(h, h, h, need_weights=False)[0]
        return x + self.moe(self.norm2(x))


if __name__ == "__main__":
    torch.manual_seed(0)
    layers = nn.Sequential(*[Layer() for _ in range(2)])
    out = layers(torch.randn(5, 18, 32))
    out.square().mean().backward()
    print(out.shape)
