from pathlib import Path

import h5py
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

ROOT = Path(__file__).resolve().parent
FILE = ROOT / "spectra.h5"


class Spectra(Dataset):
    def __init__(self, path, split):
        with h5py.File(path, "r") as f:
            self.x = torch.from_numpy(f[f"{split}/flux"][:]).float()
            self.y = torch.from_numpy(f[f"{split}/labels"][:]).long()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index].unsqueeze(0), self.y[index]


class Block(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.conv1 = nn.Conv1d(cin, cout, 7, stride=stride, padding=3)
        self.bn1 = nn.BatchNorm1d(cout)
        self.conv2 = nn.Conv1d(cout, cout, 7, padding=3)
        self.bn2 = nn.BatchNorm1d(cout)
        self.short = nn.Conv1d(cin, cout, 1, stride=stride)

    def forward(self, x):
        h = F.gelu(self.bn1(self.conv1(x)))
        return F.gelu(self.bn2(self.conv2(h)) + self.short(x))


class SpectraNet(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.blocks = nn.Sequential(Block(1, 16, 2), Block(16, 32, 2), Block(32, 64, 2))
        self.attend = nn.Linear(64, 1)
        self.head = nn.Linear(64, classes)

    def forward(self, x):
        h = self.blocks(x).transpose(1, 2)
        weight = self.attend(h).softmax(dim=1)
        return self.head((weight * h).sum(dim=1))


def main():
    loader = DataLoader(Spectra(FILE, "train"), batch_size=48, shuffle=True)
    net = SpectraNet()
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    for epoch in range(10):
        net.train()
        for x, y in loader:
            loss = F.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"{epoch}: {loss.item():.3f}")


if __name__ == "__main__":
    main()
