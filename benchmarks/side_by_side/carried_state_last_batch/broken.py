"""A stateful LSTM that forecasts electricity load; its state is carried from window to window."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Forecaster(nn.Module):
    def __init__(self, features, hidden=32, layers=2):
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.lstm = nn.LSTM(features, hidden, layers, batch_first=True, dropout=0.1)
        self.head = nn.Linear(hidden, 1)

    def start(self, batch):
        zeros = torch.zeros(self.layers, batch, self.hidden)
        return zeros, zeros.clone()

    def forward(self, x, state):
        out, state = self.lstm(x, state)  # <- expected
        return self.head(out[:, -1]).squeeze(-1), state


def windows(series, length):
    x = torch.stack([series[i : i + length] for i in range(len(series) - length)])
    return x, series[length:, 0]


def main():
    series = torch.randn(2000, 5).cumsum(0) / 50
    x, y = windows(series, 24)
    loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=False)
    model = Forecaster(5)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    criterion = nn.MSELoss()
    for epoch in range(2):
        state = model.start(64)
        for inputs, targets in loader:
            state = tuple(s.detach() for s in state)
            guess, state = model(inputs, state)
            loss = criterion(guess, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
