from dataclasses import dataclass

import torch
import torchvision
import torchvision.transforms as T
from torch import nn
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm


@dataclass
class Config:
    image: int = 32
    patch: int = 4
    dim: int = 192
    depth: int = 6
    heads: int = 3
    classes: int = 10
    batch: int = 128
    epochs: int = 100
    lr: float = 5e-4


class ViT(nn.Module):
    def __init__(self, c):
        super().__init__()
        n = (c.image // c.patch) ** 2
        self.patches = nn.Conv2d(3, c.dim, c.patch, c.patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, c.dim))
        self.pos = nn.Parameter(torch.randn(1, n + 1, c.dim) * 0.02)
        layer = nn.TransformerEncoderLayer(c.dim, c.heads, 4 * c.dim, activation="gelu", batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, c.depth, enable_nested_tensor=False)
        self.norm, self.head = nn.LayerNorm(c.dim), nn.Linear(c.dim, c.classes)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], dim=1) + self.pos
        return self.head(self.norm(self.blocks(x))[:, 0])


def main(c=Config()):
    writer = SummaryWriter("runs/vit")
    train = torchvision.datasets.CIFAR10(
        "~/data", True, T.Compose([T.RandAugment(), T.ToTensor(), T.Normalize((0.5,) * 3, (0.5,) * 3)]), download=True
    )
    loader = torch.utils.data.DataLoader(train, c.batch, shuffle=True, num_workers=4, pin_memory=True)
    model = nn.DataParallel(ViT(c).cuda())
    optimizer = torch.optim.AdamW(model.parameters(), c.lr, weight_decay=0.05)
    scaler = torch.amp.GradScaler("cuda")
    step = 0
    for epoch in range(c.epochs):
        bar = tqdm(loader, desc=f"epoch {epoch}")
        for x, y in bar:
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            with torch.autocast("cuda"):
                loss = nn.functional.cross_entropy(model(x), y)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad(set_to_none=True)
            bar.set_postfix(loss=loss.item())
            writer.add_scalar("loss", loss.item(), step)
            step += 1


if __name__ == "__main__":
    main()
