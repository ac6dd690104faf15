"""Categorical embeddings beside numerical columns, two heads, configured by flags."""

import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

CARDINALITIES = {"shop": 40, "weekday": 7, "product": 320}


def width_of(cardinality):
    return min(50, (cardinality + 1) // 2)


class Sales(Dataset):
    def __init__(self, rows, numerical):
        rng = np.random.default_rng(0)
        self.categories = np.stack([rng.integers(0, n, rows) for n in CARDINALITIES.values()], axis=1)
        self.numbers = rng.normal(size=(rows, numerical)).astype("float32")
        self.amount = rng.normal(size=rows).astype("float32")
        self.returned = rng.integers(0, 2, rows)

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, index):
        return self.categories[index], self.numbers[index], self.amount[index], self.returned[index]


class Tabular(nn.Module):
    def __init__(self, numerical, hidden):
        super().__init__()
        self.embeddings = nn.ModuleList(nn.Embedding(n, width_of(n)) for n in CARDINALITIES.values())
        width = sum(e.embedding_dim for e in self.embeddings) + numerical
        self.body = nn.Sequential(
            nn.BatchNorm1d(width), nn.Linear(width, hidden), nn.ReLU(), nn.Dropout(0.2), nn.Linear(hidden, hidden // 2)
        )
        self.amount = nn.Linear(hidden // 2, 1)
        self.returned = nn.Linear(hidden // 2, 2)

    def forward(self, categories, numbers):
        embedded = [layer(categories[:, i]) for i, layer in enumerate(self.embeddings)]
        h = self.body(torch.cat([*embedded, numbers], dim=1))
        return self.amount(h).squeeze(1), self.returned(h)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--numerical", type=int, default=9)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=1)
    arguments = parser.parse_args()
    loader = DataLoader(Sales(arguments.rows, arguments.numerical), arguments.batch_size, shuffle=True)
    model = Tabular(arguments.numerical, arguments.hidden)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(arguments.epochs):
        for categories, numbers, amount, returned in loader:
            guess, kind = model(categories, numbers)
            loss = nn.functional.mse_loss(guess, amount) + nn.functional.cross_entropy(kind, returned)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
