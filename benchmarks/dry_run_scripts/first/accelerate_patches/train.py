import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader
from torchvision.datasets import CIFAR100
from torchvision.transforms import Compose, Normalize, RandomCrop, ToTensor
from tqdm.auto import tqdm


class Patches(nn.Module):
    def __init__(self, size=32, patch=4, width=192, depth=6, heads=3, classes=100):
        super().__init__()
        self.proj = nn.Conv2d(3, width, patch, patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, width))
        self.pos = nn.Parameter(torch.zeros(1, (size // patch) ** 2 + 1, width))
        self.blocks = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(width, heads, 4 * width, activation="gelu", batch_first=True, norm_first=True),
            depth,
            enable_nested_tensor=False,
        )
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = self.proj(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.size(0), -1, -1), x], dim=1) + self.pos
        return self.head(self.norm(self.blocks(x))[:, 0])


def main():
    accelerator = Accelerator(mixed_precision="no", gradient_accumulation_steps=2, log_with=None)
    set_seed(42)
    steps = Compose([RandomCrop(32, padding=4), ToTensor(), Normalize((0.5,) * 3, (0.5,) * 3)])
    plain = Compose([ToTensor(), Normalize((0.5,) * 3, (0.5,) * 3)])
    train = DataLoader(CIFAR100("data", train=True, download=True, transform=steps), batch_size=128, shuffle=True)
    test = DataLoader(CIFAR100("data", train=False, download=True, transform=plain), batch_size=256)
    model = Patches()
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4, weight_decay=0.05)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-3, total_steps=50 * len(train))
    model, optimizer, train, test, scheduler = accelerator.prepare(model, optimizer, train, test, scheduler)
    for epoch in range(50):
        model.train()
        for images, labels in tqdm(train, disable=not accelerator.is_local_main_process):
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(images), labels)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
        model.eval()
        right = total = 0
        for images, labels in test:
            with torch.no_grad():
                guess = model(images).argmax(-1)
            guess, labels = accelerator.gather_for_metrics((guess, labels))
            right += (guess == labels).sum().item()
            total += labels.size(0)
        accelerator.print(f"epoch {epoch}: {right / total:.3f}")
        accelerator.save_state(f"ckpt/{epoch}")


if __name__ == "__main__":
    main()
