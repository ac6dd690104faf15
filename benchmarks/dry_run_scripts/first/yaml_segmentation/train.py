import sys
from glob import glob
from os.path import basename, join

import numpy as np
import torch
import yaml
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, images, masks, size):
        self.images = sorted(glob(join(images, "*.png")))
        self.masks, self.size = masks, size

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        path = self.images[i]
        image = Image.open(path).convert("RGB").resize((self.size, self.size))
        mask = Image.open(join(self.masks, basename(path))).resize((self.size, self.size), Image.NEAREST)
        x = torch.from_numpy(np.array(image, dtype=np.float32) / 255.0).permute(2, 0, 1)
        return x, torch.from_numpy(np.array(mask, dtype=np.int64) % 3)


def double(a, b):
    return nn.Sequential(
        nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(), nn.Conv2d(b, b, 3, padding=1), nn.ReLU()
    )


class UNet(nn.Module):
    def __init__(self, channels, classes):
        super().__init__()
        self.down = nn.ModuleList()
        last = 3
        for c in channels:
            self.down.append(double(last, c))
            last = c
        self.middle = double(last, 2 * last)
        self.up, self.join = nn.ModuleList(), nn.ModuleList()
        for c in reversed(channels):
            self.up.append(nn.ConvTranspose2d(2 * c, c, 2, stride=2))
            self.join.append(double(2 * c, c))
        self.out = nn.Conv2d(channels[0], classes, 1)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        kept = []
        for block in self.down:
            x = block(x)
            kept.append(x)
            x = self.pool(x)
        x = self.middle(x)
        for up, join_, skip in zip(self.up, self.join, reversed(kept)):
            x = join_(torch.cat([up(x), skip], dim=1))
        return self.out(x)


def dice(logits, target, classes):
    p = logits.softmax(1)
    t = nn.functional.one_hot(target, classes).permute(0, 3, 1, 2).float()
    return 1 - (2 * (p * t).sum() + 1) / (p.sum() + t.sum() + 1)


def main(path):
    with open(path) as f:
        cfg = yaml.safe_load(f)
    data = Pictures(cfg["data"]["images"], cfg["data"]["masks"], cfg["data"]["size"])
    n = int(0.9 * len(data))
    train_set, val_set = torch.utils.data.random_split(data, [n, len(data) - n])
    loader = DataLoader(train_set, batch_size=cfg["train"]["batch_size"], shuffle=True)
    model = UNet(cfg["model"]["channels"], cfg["model"]["classes"])
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg["train"]["lr"])
    for epoch in range(cfg["train"]["epochs"]):
        for x, y in loader:
            logits = model(x)
            loss = nn.functional.cross_entropy(logits, y) + dice(logits, y, cfg["model"]["classes"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "config.yaml")
