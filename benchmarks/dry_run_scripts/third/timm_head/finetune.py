import os

import timm
import torch
from timm.data import create_transform, resolve_data_config
from timm.scheduler import CosineLRScheduler
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder

DATA = os.environ.get("DATA_ROOT", "datasets/flowers")
BACKBONE = os.environ.get("BACKBONE", "resnet18")
EPOCHS = int(os.environ.get("EPOCHS", 5))


class Classifier(nn.Module):
    def __init__(self, backbone, classes, hidden=256):
        super().__init__()
        self.backbone = timm.create_model(backbone, pretrained=True, num_classes=0, global_pool="")
        self.pool = timm.layers.SelectAdaptivePool2d(pool_type="catavgmax", flatten=True)
        self.head = nn.Sequential(
            nn.Linear(2 * self.backbone.num_features, hidden), nn.BatchNorm1d(hidden), nn.SiLU(), nn.Linear(hidden, classes)
        )

    def forward(self, x):
        return self.head(self.pool(self.backbone(x)))


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    train_root, val_root = os.path.join(DATA, "train"), os.path.join(DATA, "valid")
    classes = len(os.listdir(train_root))
    model = Classifier(BACKBONE, classes).to(device)
    config = resolve_data_config({}, model=model.backbone)
    train = ImageFolder(train_root, create_transform(**config, is_training=True))
    valid = ImageFolder(val_root, create_transform(**config))
    train_loader = DataLoader(train, 24, shuffle=True, drop_last=True)
    valid_loader = DataLoader(valid, 24)
    for p in model.backbone.parameters():
        p.requires_grad = False
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=1e-3)
    scheduler = CosineLRScheduler(optimizer, t_initial=EPOCHS)
    for epoch in range(EPOCHS):
        model.train()
        for images, labels in train_loader:
            images, labels = images.to(device), labels.to(device)
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step(epoch + 1)
        model.eval()
        good = 0
        with torch.no_grad():
            for images, labels in valid_loader:
                good += (model(images.to(device)).argmax(1).cpu() == labels).sum().item()
        print(epoch, good / len(valid))


if __name__ == "__main__":
    main()
