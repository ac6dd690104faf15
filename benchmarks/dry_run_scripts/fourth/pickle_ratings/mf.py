import pickle

import numpy as np
import torch
from torch import nn

with open("ratings.pkl", "rb") as f:
    users, items, ratings = pickle.load(f)
users, items = torch.as_tensor(np.asarray(users)), torch.as_tensor(np.asarray(items))
ratings = torch.as_tensor(np.asarray(ratings), dtype=torch.float32)


class Factors(nn.Module):
    def __init__(self, users, items, dim=40):
        super().__init__()
        self.u, self.i = nn.Embedding(users, dim), nn.Embedding(items, dim)
        self.mlp = nn.Sequential(nn.Linear(3 * dim, dim), nn.ReLU(), nn.Linear(dim, 1))

    def forward(self, u, i):
        u, i = self.u(u), self.i(i)
        return self.mlp(torch.cat([u, i, u * i], dim=-1)).squeeze(-1)


model = Factors(int(users.max()) + 1, int(items.max()) + 1)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
for epoch in range(8):
    order = torch.randperm(len(ratings))
    for rows in order.split(512):
        loss = nn.functional.mse_loss(model(users[rows], items[rows]), ratings[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item() ** 0.5)
