import argparse
import datetime
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


def setup():
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29411")
    rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    local = int(os.environ.get("LOCAL_RANK", 0))
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    dist.init_process_group(backend, rank=rank, world_size=world, timeout=datetime.timedelta(minutes=5))
    if torch.cuda.is_available():
        torch.cuda.set_device(local)
    return rank, world, torch.device(f"cuda:{local}" if torch.cuda.is_available() else "cpu")


class Shapes(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        gen = torch.Generator().manual_seed(index)
        label = index % 4
        image = 0.1 * torch.randn(3, 40, 40, generator=gen)
        image[:, 4 + label * 8 : 12 + label * 8] += 1
        return image, label


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 24, 5, stride=2), nn.BatchNorm2d(24), nn.ReLU(), nn.Conv2d(24, 48, 3, stride=2), nn.ReLU()
        )
        self.classifier = nn.Linear(48 * 8 * 8, 4)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


def confusion(model, loader, device, world):
    matrix = torch.zeros(4, 4, dtype=torch.long, device=device)
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            pred = model(x.to(device)).argmax(dim=1)
            matrix += torch.bincount(4 * y.to(device) + pred, minlength=16).view(4, 4)
    dist.all_reduce(matrix)
    gathered = [torch.zeros_like(matrix) for _ in range(world)]
    dist.all_gather(gathered, matrix)
    return gathered[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--sync-bn", action="store_true")
    args = parser.parse_args()
    rank, world, device = setup()
    net = Net().to(device)
    if args.sync_bn:
        net = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    model = DDP(net, device_ids=[device.index] if device.type == "cuda" else None)
    train, test = Shapes(500), Shapes(90)
    sampler = DistributedSampler(train, num_replicas=world, rank=rank)
    loader = DataLoader(train, args.batch_size, sampler=sampler, num_workers=0)
    test_loader = DataLoader(test, args.batch_size, sampler=DistributedSampler(test, world, rank, shuffle=False))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        model.train()
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        matrix = confusion(model, test_loader, device, world)
        if rank == 0:
            print(f"epoch {epoch} loss {loss.item():.3f}", matrix.tolist())
            torch.save(model.module.state_dict(), "net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
