import os
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


def setup():
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    dist.init_process_group(backend, timeout=timedelta(minutes=10))
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))


class Series(Dataset):
    def __init__(self, length=4000, window=96, horizon=24, channels=7):
        t = torch.arange(length, dtype=torch.float32)
        self.data = torch.stack([torch.sin(t / (3.0 + c)) for c in range(channels)], dim=1)
        self.window, self.horizon = window, horizon

    def __len__(self):
        return len(self.data) - self.window - self.horizon

    def __getitem__(self, i):
        return self.data[i : i + self.window], self.data[i + self.window : i + self.window + self.horizon]


class Forecaster(nn.Module):
    def __init__(self, window, horizon, channels, patch=8, width=64):
        super().__init__()
        self.patch = patch
        self.embed = nn.Linear(patch, width)
        layer = nn.TransformerEncoderLayer(width, 4, 128, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(width * (window // patch), horizon)

    def forward(self, x):
        b, t, c = x.shape
        x = x.permute(0, 2, 1).reshape(b * c, t // self.patch, self.patch)
        x = self.encoder(self.embed(x))
        return self.head(x.flatten(1)).view(b, c, -1).permute(0, 2, 1)


class Trainer:
    def __init__(self, model, loader, optimizer, save_every, snapshot):
        self.rank = int(os.environ["RANK"])
        self.local = int(os.environ["LOCAL_RANK"])
        self.device = torch.device("cuda", self.local) if torch.cuda.is_available() else torch.device("cpu")
        self.loader, self.optimizer, self.save_every, self.snapshot = loader, optimizer, save_every, snapshot
        self.start = 0
        if os.path.exists(snapshot):
            state = torch.load(snapshot, map_location=self.device)
            model.load_state_dict(state["MODEL_STATE"])
            self.start = state["EPOCHS_RUN"]
        self.model = DDP(model.to(self.device), device_ids=[self.local] if torch.cuda.is_available() else None)

    def run(self, x, y):
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        total = loss.detach().clone()
        dist.all_reduce(total, op=dist.ReduceOp.SUM)
        return total.item() / dist.get_world_size()

    def train(self, epochs):
        for epoch in range(self.start, epochs):
            self.loader.sampler.set_epoch(epoch)
            for x, y in self.loader:
                loss = self.run(x.to(self.device), y.to(self.device))
            if self.rank == 0:
                print(f"epoch {epoch} {loss:.4f}")
                if epoch % self.save_every == 0:
                    torch.save({"MODEL_STATE": self.model.module.state_dict(), "EPOCHS_RUN": epoch}, self.snapshot)


def main(epochs=10, batch=32):
    setup()
    data = Series()
    model = Forecaster(96, 24, 7)
    loader = DataLoader(data, batch_size=batch, shuffle=False, sampler=DistributedSampler(data), pin_memory=False)
    Trainer(model, loader, torch.optim.AdamW(model.parameters(), lr=1e-3), 2, "snapshot.pt").train(epochs)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
