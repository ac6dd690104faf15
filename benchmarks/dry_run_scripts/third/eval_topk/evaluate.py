"""Evaluate a trained checkpoint on the validation folder."""
import argparse
import json
import sys
import time

import torch
import torch.nn as nn
from torchvision import datasets, models, transforms


class AverageMeter:
    def __init__(self):
        self.sum = self.count = 0.0

    def update(self, value, n=1):
        self.sum += float(value) * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(self.count, 1)


def accuracy(output, target, topk=(1,)):
    maxk = max(topk)
    _, pred = output.topk(maxk, 1, True, True)
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    return [correct[:k].reshape(-1).float().sum() * 100.0 / target.size(0) for k in topk]


@torch.no_grad()
def validate(loader, model, criterion, device):
    losses, top1, top5 = AverageMeter(), AverageMeter(), AverageMeter()
    model.eval()
    started = time.time()
    for i, (images, target) in enumerate(loader):
        images, target = images.to(device, non_blocking=True), target.to(device, non_blocking=True)
        output = model(images)
        acc1, acc5 = accuracy(output, target, topk=(1, 5))
        losses.update(criterion(output, target), images.size(0))
        top1.update(acc1, images.size(0))
        top5.update(acc5, images.size(0))
        if i % 10 == 0:
            print(f"[{i}/{len(loader)}] loss {losses.avg:.4f} acc@1 {top1.avg:.2f} acc@5 {top5.avg:.2f}")
    return {"loss": losses.avg, "acc1": top1.avg, "acc5": top5.avg, "seconds": time.time() - started}


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", default="data/birds/val")
    parser.add_argument("--weights", default="runs/exp3/best.pth")
    parser.add_argument("--arch", default="resnet18", choices=["resnet18", "resnet34"])
    parser.add_argument("--batch-size", default=16, type=int)
    parser.add_argument("--num-classes", default=20, type=int)
    parser.add_argument("--out", default="metrics.json")
    return parser.parse_args(argv)


def main(argv=None):
    args = parse(argv)
    device = "cuda:0" if torch.cuda.is_available() else "cpu"
    tf = transforms.Compose([
        transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor(),
        transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
    ])
    loader = torch.utils.data.DataLoader(datasets.ImageFolder(args.data_dir, tf), args.batch_size, num_workers=0)
    model = getattr(models, args.arch)(weights=None)
    model.fc = nn.Linear(model.fc.in_features, args.num_classes)
    state = torch.load(args.weights, map_location="cpu")
    model.load_state_dict({k.removeprefix("module."): v for k, v in state["state_dict"].items()})
    model.to(device)
    metrics = validate(loader, model, nn.CrossEntropyLoss(), device)
    with open(args.out, "w") as f:
        json.dump(metrics, f, indent=2)
    print(metrics)
    return 0


if __name__ == "__main__":
    sys.exit(main())
