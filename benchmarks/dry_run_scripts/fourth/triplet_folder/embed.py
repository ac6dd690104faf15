import argparse
import random
from collections import defaultdict

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import datasets, models, transforms


class Triplets(Dataset):
    def __init__(self, folder):
        self.folder = folder
        self.by_class = defaultdict(list)
        for index, (_, label) in enumerate(folder.samples):
            self.by_class[label].append(index)

    def __len__(self):
        return len(self.folder)

    def __getitem__(self, index):
        anchor, label = self.folder[index]
        other = random.choice([c for c in self.by_class if c != label])
        positive = self.folder[random.choice(self.by_class[label])][0]
        return anchor, positive, self.folder[random.choice(self.by_class[other])][0]


class Embedder(nn.Module):
    def __init__(self, size):
        super().__init__()
        backbone = models.mobilenet_v2(weights=None)
        self.features = backbone.features
        self.project = nn.Sequential(nn.Linear(backbone.last_channel, 512), nn.ReLU(), nn.Linear(512, size))

    def forward(self, x):
        h = self.features(x).mean(dim=(2, 3))
        return nn.functional.normalize(self.project(h))


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("root")
    p.add_argument("--size", type=int, default=64)
    p.add_argument("--epochs", type=int, default=3)
    a = p.parse_args()
    tf = transforms.Compose([transforms.Resize(72), transforms.CenterCrop(64), transforms.ToTensor()])
    loader = DataLoader(Triplets(datasets.ImageFolder(a.root, tf)), 16, shuffle=True, drop_last=True)
    net, loss_of = Embedder(a.size), nn.TripletMarginLoss(0.3)
    opt = torch.optim.Adam(net.parameters(), 1e-4)
    for epoch in range(a.epochs):
        for anchor, positive, negative in loader:
            z = net(torch.cat([anchor, positive, negative]))
            loss = loss_of(*z.chunk(3))
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())
