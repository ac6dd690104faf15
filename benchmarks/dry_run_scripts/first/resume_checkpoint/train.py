import argparse
import logging
import os
import pickle

import numpy as np
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(level=logging.INFO)
logger = logging.getLogger("train")


class CifarBatches(Dataset):
    """The CIFAR-10 python pickles."""

    def __init__(self, root, train=True, transform=None):
        names = [f"data_batch_{i}" for i in range(1, 6)] if train else ["test_batch"]
        data, labels = [], []
        for name in names:
            with open(os.path.join(root, name), "rb") as f:
                entry = pickle.load(f, encoding="latin1")
            data.append(entry["data"])
            labels.extend(entry["labels"])
        self.data = np.vstack(data).reshape(-1, 3, 32, 32)
        self.labels = labels
        self.transform = transform

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        image = torch.from_numpy(self.data[i].astype(np.float32) / 255)
        if self.transform is not None:
            image = self.transform(image)
        return image, self.labels[i]


class Basic(nn.Module):
    def __init__(self, a, b, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(a, b, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(b)
        self.conv2 = nn.Conv2d(b, b, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(b)
        self.short = nn.Identity() if stride == 1 and a == b else nn.Conv2d(a, b, 1, stride, bias=False)

    def forward(self, x):
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(y)) + self.short(x))


class ResNet(nn.Module):
    def __init__(self, width=16, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, 1, 1, bias=False)
        self.stages = nn.Sequential(
            Basic(width, width), Basic(width, 2 * width, 2), Basic(2 * width, 4 * width, 2)
        )
        self.pool = nn.AvgPool2d(8)
        self.fc = nn.Linear(4 * width, classes)

    def forward(self, x):
        return self.fc(self.pool(self.stages(self.stem(x))).flatten(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="?", default="cifar-10-batches-py")
    parser.add_argument("--resume", default=None, metavar="PATH", help="checkpoint to go on from")
    parser.add_argument("--epochs", type=int, default=90)
    parser.add_argument("--start-epoch", type=int, default=0)
    parser.add_argument("-e", "--evaluate", action="store_true")
    args = parser.parse_args()
    model = ResNet()
    optimizer = optim.SGD(model.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
    if args.resume:
        checkpoint = torch.load(args.resume, map_location="cpu")
        args.start_epoch = checkpoint["epoch"]
        model.load_state_dict(checkpoint["state_dict"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        logger.info("loaded %s (epoch %d)", args.resume, args.start_epoch)
    train_loader = DataLoader(CifarBatches(args.data), batch_size=128, shuffle=True)
    val_loader = DataLoader(CifarBatches(args.data, train=False), batch_size=256)
    criterion = nn.CrossEntropyLoss()
    if args.evaluate:
        validate(val_loader, model)
        return
    for epoch in range(args.start_epoch, args.epochs):
        model.train()
        for i, (images, target) in enumerate(train_loader):
            loss = criterion(model(images), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if i % 50 == 0:
                logger.info("Epoch [%d][%d/%d] %.4f", epoch, i, len(train_loader), loss.item())
        top1, top5 = validate(val_loader, model)
        logger.info("acc@1 %.3f acc@5 %.3f", top1, top5)
        torch.save({"epoch": epoch + 1, "state_dict": model.state_dict(), "optimizer": optimizer.state_dict()}, "last.pth")


def accuracy(output, target, topk=(1,)):
    _, pred = output.topk(max(topk), 1, True, True)
    correct = pred.t().eq(target.view(1, -1).expand_as(pred.t()))
    return [correct[:k].reshape(-1).float().sum().item() * 100.0 / target.size(0) for k in topk]


def validate(loader, model):
    model.eval()
    sums, n = np.zeros(2), 0
    with torch.no_grad():
        for images, target in loader:
            sums += np.array(accuracy(model(images), target, topk=(1, 5))) * len(target)
            n += len(target)
    return sums / n


if __name__ == "__main__":
    main()
