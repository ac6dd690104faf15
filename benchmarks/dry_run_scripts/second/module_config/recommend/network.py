import torch
from torch import nn


class NeuMF(nn.Module):
    def __init__(self, users, items, factors, layers):
        super().__init__()
        self.user_mf, self.item_mf = nn.Embedding(users, factors), nn.Embedding(items, factors)
        self.user_mlp, self.item_mlp = nn.Embedding(users, layers[0] // 2), nn.Embedding(items, layers[0] // 2)
        self.mlp = nn.ModuleList(nn.Linear(a, b) for a, b in zip(layers[:-1], layers[1:]))
        self.out = nn.Linear(factors + layers[-1], 1)

    def forward(self, user, item):
        mf = self.user_mf(user) * self.item_mf(item)
        x = torch.cat([self.user_mlp(user), self.item_mlp(item)], dim=-1)
        for layer in self.mlp:
            x = torch.relu(layer(x))
        return self.out(torch.cat([mf, x], dim=-1)).squeeze(-1)
