"""Windowed attention with a cyclic shift, as in a Swin transformer."""

import torch
import torch.nn as nn
from jaxtyping import Float
from torch import Tensor


def window_partition(x: Float[Tensor, "b h w c"], size: int) -> Float[Tensor, "windows tokens c"]:
    b, h, w, c = x.shape
    x = x.view(b, h // size, size, w // size, size, c)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, size * size, c)


def window_reverse(
    windows: Float[Tensor, "windows tokens c"], size: int, h: int, w: int
) -> Float[Tensor, "b h w c"]:
    b = windows.shape[0] // (h // size * (w // size))
    x = windows.view(b, h // size, w // size, size, size, -1)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, -1)


class WindowAttention(nn.Module):
    def __init__(self, dim: int, size: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)
        self.bias = nn.Parameter(torch.zeros((2 * size - 1) ** 2, heads))
        coordinates = torch.stack(torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")).flatten(1)
        relative = (coordinates[:, :, None] - coordinates[:, None]).permute(1, 2, 0) + size - 1
        self.register_buffer("index", relative[..., 0] * (2 * size - 1) + relative[..., 1])

    def forward(self, x: Float[Tensor, "n t c"]) -> Float[Tensor, "n t c"]:
        n, t, c = x.shape
        q, k, v = self.qkv(x).reshape(n, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) * (c // self.heads) ** -0.5
        scores = scores + self.bias[self.index.view(-1)].view(t, t, -1).permute(2, 0, 1)
        return self.proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(n, t, c))


class SwinBlock(nn.Module):
    def __init__(self, dim: int, size: int, heads: int, shift: int):
        super().__init__()
        self.size, self.shift = size, shift
        self.norm = nn.LayerNorm(dim)
        self.attention = WindowAttention(dim, size, heads)
        self.mlp = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x: Float[Tensor, "b h w c"]) -> Float[Tensor, "b h w c"]:
        _, h, w, _ = x.shape
        shifted = torch.roll(self.norm(x), (-self.shift, -self.shift), dims=(1, 2))
        out = window_reverse(self.attention(window_partition(shifted, self.size)), self.size, h, w)
        x = x + torch.roll(out, (self.shift, self.shift), dims=(1, 2))
        return x + self.mlp(x)


class PatchMerging(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.reduction = nn.Linear(4 * dim, 2 * dim, bias=False)

    def forward(self, x: Float[Tensor, "b h w c"]) -> Float[Tensor, "b h/2 w/2 2*c"]:
        parts = [x[:, i::2, j::2] for i in (0, 1) for j in (0, 1)]
        return self.reduction(torch.cat(parts, -1))


class Swin(nn.Module):
    def __init__(self, dim: int = 24, size: int = 7, classes: int = 10):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, 4, stride=4)
        self.stage1 = nn.Sequential(SwinBlock(dim, size, 3, 0), SwinBlock(dim, size, 3, size // 2))
        self.merge = PatchMerging(dim)
        self.stage2 = nn.Sequential(SwinBlock(2 * dim, size, 6, 0), SwinBlock(2 * dim, size, 6, size // 2))
        self.head = nn.Linear(2 * dim, classes)

    def forward(self, images: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b classes"]:
        x = self.patch(images).permute(0, 2, 3, 1)
        x = self.stage2(self.merge(self.stage1(x)))
        return self.head(x.mean(dim=(1, 2)))


if __name__ == "__main__":
    model = Swin()
    print(model(torch.randn(2, 3, 112, 112)).shape)
