"""Trains a LeNet on 32 × 32 images: run `python classifier/train.py DATA`."""

import sys

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 3)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        return self.fc2(x)


def train(path, epochs=3, batch_size=64):
    saved = torch.load(path, weights_only=True)
    loader = DataLoader(TensorDataset(saved["images"], saved["labels"]), batch_size=batch_size, shuffle=True)
    model = LeNet()
    optimizer = optim.SGD(model.parameters(), lr=0.01)
    for _ in range(epochs):
        for images, labels in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
    return model


def smoke_test():
    logits = LeNet()(torch.zeros(2, 3, 32, 32))
    assert logits.shape == (2, 10)


if __name__ == "__main__":
    smoke_test()
    train(sys.argv[1])
