import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import wandb
from torch.utils.data import DataLoader, Dataset
from tqdm import tqdm

config = dict(embed_dim=128, temperature=0.07, batch_size=64, lr=1e-3, epochs=20, image_dim=2048, text_dim=768)


class Pairs(Dataset):
    """Features that were computed before: features/image.npy (n, 2048) and features/text.npy (n, 768)."""

    def __init__(self, folder):
        self.image = np.load(os.path.join(folder, "image.npy"), mmap_mode="r")
        self.text = np.load(os.path.join(folder, "text.npy"), mmap_mode="r")
        assert len(self.image) == len(self.text)

    def __len__(self):
        return len(self.image)

    def __getitem__(self, i):
        return {
            "image": torch.tensor(self.image[i], dtype=torch.float32),
            "text": torch.tensor(self.text[i], dtype=torch.float32),
        }


class Projection(nn.Module):
    def __init__(self, inputs, outputs, dropout=0.1):
        super().__init__()
        self.projection = nn.Linear(inputs, outputs)
        self.fc = nn.Linear(outputs, outputs)
        self.dropout = nn.Dropout(dropout)
        self.norm = nn.LayerNorm(outputs)

    def forward(self, x):
        p = self.projection(x)
        return self.norm(self.dropout(self.fc(F.gelu(p))) + p)


class Matcher(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.image = Projection(c["image_dim"], c["embed_dim"])
        self.text = Projection(c["text_dim"], c["embed_dim"])
        self.scale = nn.Parameter(torch.tensor(1 / c["temperature"]).log())

    def forward(self, batch):
        a = F.normalize(self.image(batch["image"]), dim=-1)
        b = F.normalize(self.text(batch["text"]), dim=-1)
        logits = self.scale.exp() * a @ b.t()
        targets = torch.arange(len(logits), device=logits.device)
        return (F.cross_entropy(logits, targets) + F.cross_entropy(logits.t(), targets)) / 2


def train():
    run = wandb.init(project="matching", config=config, name=os.environ.get("RUN_NAME"))
    c = wandb.config
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Pairs("features"), batch_size=config["batch_size"], shuffle=True)
    model = Matcher(config).to(device)
    wandb.watch(model, log="all")
    optimizer = torch.optim.AdamW(model.parameters(), lr=config["lr"])
    for epoch in range(config["epochs"]):
        bar = tqdm(loader, desc=f"epoch {epoch}")
        for batch in bar:
            batch = {k: v.to(device) for k, v in batch.items()}
            loss = model(batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            bar.set_postfix(loss=loss.item())
            wandb.log({"loss": loss.item(), "scale": model.scale.exp().item()})
        torch.save(model.state_dict(), os.path.join(run.dir, "model.pt"))
    wandb.finish()


if __name__ == "__main__":
    train()
