"""Segmentation of leaves: a U-Net of three levels."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Leaves(Dataset):
    def __init__(self, count, size):
        self.count, self.size = count, size

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        image = torch.rand(3, self.size, self.size)
        mask = (image.mean(0, keepdim=True) > 0.5).float()
        return image, mask


def block(inside, outside):
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, padding=1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True),
        nn.Conv2d(outside, outside, 3, padding=1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, widths=(16, 32, 64)):
        super().__init__()
        self.downs, self.ups = nn.ModuleList(), nn.ModuleList()
        inside = 3
        for width in widths:
            self.downs.append(block(inside, width))
            inside = width
        self.pool = nn.MaxPool2d(2)
        self.bottom = block(widths[-1], widths[-1] * 2)
        for width in reversed(widths):
            self.ups.append(nn.ConvTranspose2d(width * 2, width, 2, stride=2))
            self.ups.append(block(width * 2, width))
        self.out = nn.Conv2d(widths[0], 1, 1)

    def forward(self, x):
        skips = []
        for down in self.downs:
            x = down(x)
            skips.append(x)
            x = self.pool(x)
        x = self.bottom(x)
        for up, convolve, skip in zip(self.ups[::2], self.ups[1::2], skips[::-1]):
            x = up(x)
            x = convolve(torch.cat([skip, x], dim=1))
        return self.out(x)


def train(size=96, epochs=2):
    loader = DataLoader(Leaves(20, size), batch_size=8, shuffle=True)
    model = UNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    criterion = nn.BCEWithLogitsLoss()
    for epoch in range(epochs):
        total = 0.0
        for images, masks in loader:
            loss = criterion(model(images), masks)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(images)
        print(f"epoch {epoch}: {total / len(loader.dataset):.4f}")


if __name__ == "__main__":
    train()
