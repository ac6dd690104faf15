import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
import torchvision.transforms as T
from torchvision.models import resnet18
from tqdm import tqdm

parser = argparse.ArgumentParser(description="CIFAR-10 with mixup")
parser.add_argument("--root", default="./data")
parser.add_argument("--bs", type=int, default=128)
parser.add_argument("--alpha", type=float, default=0.2)
parser.add_argument("--epochs", type=int, default=1)
args = parser.parse_args()

device = "cuda" if torch.cuda.is_available() else "cpu"
mean, std = (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)
train_tf = T.Compose([T.RandomCrop(32, padding=4), T.RandomHorizontalFlip(), T.ToTensor(), T.Normalize(mean, std)])
test_tf = T.Compose([T.ToTensor(), T.Normalize(mean, std)])
trainset = torchvision.datasets.CIFAR10(args.root, train=True, download=True, transform=train_tf)
testset = torchvision.datasets.CIFAR10(args.root, train=False, download=True, transform=test_tf)
trainloader = torch.utils.data.DataLoader(trainset, batch_size=args.bs, shuffle=True, num_workers=2)
testloader = torch.utils.data.DataLoader(testset, batch_size=args.bs)

net = resnet18(num_classes=10)
net.conv1 = nn.Conv2d(3, 64, 3, 1, 1, bias=False)
net.maxpool = nn.Identity()
net = net.to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4, nesterov=True)


def mixup(x, y, alpha):
    lam = np.random.beta(alpha, alpha)
    perm = torch.randperm(x.size(0), device=x.device)
    return lam * x + (1 - lam) * x[perm], y, y[perm], lam


for epoch in range(args.epochs):
    net.train()
    bar = tqdm(trainloader, desc=f"epoch {epoch}")
    for inputs, targets in bar:
        inputs, targets = inputs.to(device), targets.to(device)
        inputs, ya, yb, lam = mixup(inputs, targets, args.alpha)
        outputs = net(inputs)
        loss = lam * F.cross_entropy(outputs, ya) + (1 - lam) * F.cross_entropy(outputs, yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bar.set_postfix(loss=loss.item())
    net.eval()
    correct = 0
    with torch.no_grad():
        for inputs, targets in testloader:
            correct += (net(inputs.to(device)).argmax(1).cpu() == targets).sum().item()
    print("test accuracy", correct / len(testset))
torch.save(net.state_dict(), "resnet18_cifar.pth")
