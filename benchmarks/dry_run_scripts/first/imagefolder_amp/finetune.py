import argparse
import os
import time

import torch
import torch.nn as nn
from torch.utils.data import DataLoader
from torchvision import datasets, models, transforms


def get_loaders(root, batch_size, workers):
    mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
    tf_train = transforms.Compose([
        transforms.RandomResizedCrop(224),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize(mean, std),
    ])
    tf_val = transforms.Compose([
        transforms.Resize(256),
        transforms.CenterCrop(224),
        transforms.ToTensor(),
        transforms.Normalize(mean, std),
    ])
    train_set = datasets.ImageFolder(os.path.join(root, "train"), tf_train)
    val_set = datasets.ImageFolder(os.path.join(root, "val"), tf_val)
    train = DataLoader(train_set, batch_size=batch_size, shuffle=True, num_workers=workers, pin_memory=True)
    val = DataLoader(val_set, batch_size=batch_size, shuffle=False, num_workers=workers, pin_memory=True)
    return train, val, train_set.classes


def build(num_classes, freeze):
    model = models.resnet18(weights=models.ResNet18_Weights.IMAGENET1K_V1)
    if freeze:
        for p in model.parameters():
            p.requires_grad = False
    model.fc = nn.Sequential(nn.Dropout(0.2), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, num_classes))
    return model


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", default="./hymenoptera_data")
    p.add_argument("--epochs", type=int, default=25)
    p.add_argument("-b", "--batch-size", type=int, default=32)
    p.add_argument("--workers", type=int, default=4)
    p.add_argument("--freeze", action="store_true")
    p.add_argument("--out", default="checkpoints/best.pth")
    args = p.parse_args()

    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    train_loader, val_loader, classes = get_loaders(args.data, args.batch_size, args.workers)
    model = build(len(classes), args.freeze).to(device)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=1e-3, momentum=0.9)
    scaler = torch.cuda.amp.GradScaler(enabled=device.type == "cuda")
    best = 0.0
    for epoch in range(args.epochs):
        start = time.time()
        model.train()
        running = 0.0
        for images, labels in train_loader:
            images, labels = images.to(device, non_blocking=True), labels.to(device, non_blocking=True)
            optimizer.zero_grad(set_to_none=True)
            with torch.cuda.amp.autocast(enabled=device.type == "cuda"):
                loss = criterion(model(images), labels)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            running += loss.item() * images.size(0)
        model.eval()
        correct = 0
        with torch.no_grad():
            for images, labels in val_loader:
                correct += (model(images.to(device)).argmax(1).cpu() == labels).sum().item()
        acc = correct / len(val_loader.dataset)
        print(f"{epoch}: loss {running / len(train_loader.dataset):.4f} acc {acc:.4f} ({time.time() - start:.0f}s)")
        if acc > best:
            best = acc
            os.makedirs(os.path.dirname(args.out), exist_ok=True)
            torch.save({"model": model.state_dict(), "epoch": epoch}, args.out)


if __name__ == "__main__":
    main()
