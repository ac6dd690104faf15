"""A small Perceiver that classifies sequences of sensor readings."""

import torch
import torch.nn as nn
from jaxtyping import Float, Int
from torch import Tensor


class FeedForward(nn.Module):
    def __init__(self, dim: int, mult: int = 4):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.net = nn.Sequential(nn.Linear(dim, dim * mult), nn.GELU(), nn.Linear(dim * mult, dim))

    def forward(self, x: Float[Tensor, "b n dim"]) -> Float[Tensor, "b n dim"]:
        return self.net(self.norm(x))


class CrossAttention(nn.Module):
    def __init__(self, query_dim: int, context_dim: int, heads: int = 4, dim_head: int = 16):
        super().__init__()
        inner = heads * dim_head
        self.heads = heads
        self.scale = dim_head**-0.5
        self.to_q = nn.Linear(query_dim, inner, bias=False)
        self.to_kv = nn.Linear(context_dim, inner * 2, bias=False)
        self.to_out = nn.Linear(inner, query_dim)

    def forward(
        self, x: Float[Tensor, "b n query_dim"], context: Float[Tensor, "b m context_dim"]
    ) -> Float[Tensor, "b n query_dim"]:
        q = self.to_q(x)
        k, v = self.to_kv(context).chunk(2, dim=-1)  # <- expected
        b, n, inner = q.shape
        d = inner // self.heads
        q, k, v = (t.reshape(b, -1, self.heads, d).transpose(1, 2) for t in (q, k, v))
        weights = (q @ k.transpose(-1, -2) * self.scale).softmax(dim=-1)
        return self.to_out((weights @ v).transpose(1, 2).reshape(b, n, inner))


class Perceiver(nn.Module):
    def __init__(self, channels: int = 12, latents: int = 24, latent_dim: int = 48, depth: int = 3, classes: int = 6):
        super().__init__()
        self.position = nn.Parameter(torch.randn(1, 200, 8))
        self.latents = nn.Parameter(torch.randn(latents, latent_dim))
        self.cross = CrossAttention(latent_dim, channels)
        self.layers = nn.ModuleList(
            nn.ModuleList([CrossAttention(latent_dim, latent_dim), FeedForward(latent_dim)]) for _ in range(depth)
        )
        self.head = nn.Sequential(nn.LayerNorm(latent_dim), nn.Linear(latent_dim, classes))

    def forward(self, x: Float[Tensor, "b t channels"]) -> Float[Tensor, "b classes"]:
        b, t, _ = x.shape
        data = torch.cat([x, self.position[:, :t].expand(b, -1, -1)], dim=-1)
        z = self.latents.unsqueeze(0).repeat(b, 1, 1)
        z = z + self.cross(z, data)
        for attention, feed in self.layers:
            z = z + attention(z, z)
            z = z + feed(z)
        return self.head(z.mean(dim=1))


def main():
    model = Perceiver()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(3):
        readings: Float[Tensor, "16 120 12"] = torch.randn(16, 120, 12)
        labels: Int[Tensor, "16"] = torch.randint(0, 6, (16,))
        loss = nn.functional.cross_entropy(model(readings), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())


if __name__ == "__main__":
    main()
