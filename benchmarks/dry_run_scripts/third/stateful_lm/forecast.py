import argparse
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--csv", default="power.csv")
parser.add_argument("--window", type=int, default=24)
parser.add_argument("--batch_size", type=int, default=50)
parser.add_argument("--hidden", type=int, default=32)
parser.add_argument("--layers", type=int, default=2)
parser.add_argument("--epochs", type=int, default=2)
opt = parser.parse_args()

if os.path.exists(opt.csv):
    load = np.loadtxt(opt.csv, delimiter=",", skiprows=1, usecols=1)
else:
    t = np.arange(2000)
    load = np.sin(t / 12) + 0.3 * np.sin(t / 84) + 0.05 * np.random.randn(2000)
load = (load - load.mean()) / load.std()
x = np.stack([load[i : i + opt.window] for i in range(len(load) - opt.window)])
y = load[opt.window :]
data = TensorDataset(torch.tensor(x, dtype=torch.float32).unsqueeze(-1), torch.tensor(y, dtype=torch.float32))
loader = DataLoader(data, batch_size=opt.batch_size, shuffle=False, drop_last=True)


class StatefulLSTM(nn.Module):
    def __init__(self, hidden, layers):
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.lstm = nn.LSTM(1, hidden, layers, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def start(self, batch):
        zeros = torch.zeros(self.layers, batch, self.hidden)
        return zeros, zeros.clone()

    def forward(self, x, state):
        out, state = self.lstm(x, state)
        return self.head(out[:, -1]).squeeze(1), state


model = StatefulLSTM(opt.hidden, opt.layers)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
mse = nn.MSELoss()
for epoch in range(opt.epochs):
    state = model.start(opt.batch_size)
    losses = []
    for xb, yb in loader:
        state = tuple(s.detach() for s in state)
        pred, state = model(xb, state)
        loss = mse(pred, yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(f"epoch {epoch}: {np.mean(losses):.4f}")
