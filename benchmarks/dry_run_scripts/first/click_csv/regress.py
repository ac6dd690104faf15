import click
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

FEATURES = ["MedInc", "HouseAge", "AveRooms", "AveBedrms", "Population", "AveOccup", "Latitude", "Longitude"]
TARGET = "MedHouseVal"


def load(path, fraction):
    table = pd.read_csv(path).dropna()
    x = table[FEATURES].values.astype(np.float32)
    y = table[TARGET].values.astype(np.float32)
    x = (x - x.mean(0)) / x.std(0)
    cut = int(len(x) * fraction)
    as_set = lambda a, b: TensorDataset(torch.from_numpy(a), torch.from_numpy(b))
    return as_set(x[:cut], y[:cut]), as_set(x[cut:], y[cut:])


class Regressor(nn.Module):
    def __init__(self, inputs, hidden, dropout):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(inputs, hidden),
            nn.BatchNorm1d(hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, hidden // 2),
            nn.ReLU(),
            nn.Linear(hidden // 2, 1),
        )

    def forward(self, x):
        return self.net(x).squeeze(-1)


@click.command()
@click.option("--data", "path", default="data/housing.csv", show_default=True, help="table to learn from")
@click.option("--hidden", default=64)
@click.option("--dropout", default=0.1)
@click.option("--epochs", default=50)
@click.option("--batch-size", default=128)
@click.option("--lr", default=1e-3)
@click.option("--verbose/--quiet", default=True)
def main(path, hidden, dropout, epochs, batch_size, lr, verbose):
    """Learns house values."""
    train_set, test_set = load(path, 0.8)
    loader = DataLoader(train_set, batch_size=batch_size, shuffle=True, drop_last=True)
    model = Regressor(len(FEATURES), hidden, dropout)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    loss_fn = nn.MSELoss()
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            error = sum(((model(x) - y) ** 2).sum().item() for x, y in DataLoader(test_set, batch_size=512))
        if verbose:
            click.echo(f"{epoch}: {loss.item():.3f} test {error / len(test_set):.3f}")
    torch.save(model.state_dict(), "regressor.pt")


if __name__ == "__main__":
    main()
