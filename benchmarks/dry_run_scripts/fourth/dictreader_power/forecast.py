import csv
import math

import torch
import torch.nn as nn

WINDOW, HORIZON, BATCH = 24, 6, 16


def read(path):
    load, temperature = [], []
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            load.append(float(row["load_mw"]))
            temperature.append(float(row["temperature"]))
    return torch.stack([torch.tensor(load), torch.tensor(temperature)], dim=1)


def windows(series):
    starts = range(len(series) - WINDOW - HORIZON + 1)
    x = torch.stack([series[s : s + WINDOW] for s in starts])
    y = torch.stack([series[s + WINDOW : s + WINDOW + HORIZON, 0] for s in starts])
    return x, y


class Positional(nn.Module):
    def __init__(self, width, length):
        super().__init__()
        place = torch.arange(length)[:, None]
        rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        table = torch.zeros(length, width)
        table[:, 0::2], table[:, 1::2] = torch.sin(place * rate), torch.cos(place * rate)
        self.register_buffer("table", table)

    def forward(self, x):
        return x + self.table[: x.size(1)]


class Forecaster(nn.Module):
    def __init__(self, width=32, heads=4):
        super().__init__()
        self.embed = nn.Linear(2, width)
        self.place = Positional(width, WINDOW)
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(width * WINDOW, HORIZON)

    def forward(self, x):
        return self.out(self.encoder(self.place(self.embed(x))).flatten(1))


def main():
    series = read("power.csv")
    series = (series - series.mean(0)) / series.std(0)
    x, y = windows(series)
    model = Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(3):
        for start in range(0, len(x), BATCH):
            loss = ((model(x[start : start + BATCH]) - y[start : start + BATCH]) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("epoch", epoch, "mse", float(loss))


if __name__ == "__main__":
    main()
