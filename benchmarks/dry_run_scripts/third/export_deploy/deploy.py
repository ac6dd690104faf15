import argparse
import contextlib
import os

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.tensorboard import SummaryWriter


class SqueezeExcite(nn.Module):
    def __init__(self, channels: int, reduction: int = 4):
        super().__init__()
        self.fc1 = nn.Linear(channels, channels // reduction)
        self.fc2 = nn.Linear(channels // reduction, channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        s = torch.relu(self.fc1(x.mean(dim=(2, 3))))
        return x * torch.sigmoid(self.fc2(s))[:, :, None, None]


class Gauge(nn.Module):
    """Reads the needle of a gauge: sine and cosine of its angle."""

    def __init__(self, size: int = 64):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 16, 3, 2, 1), nn.ReLU(), SqueezeExcite(16),
            nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(), SqueezeExcite(32), nn.Flatten(),
        )
        self.head = nn.Linear(32 * (size // 4) ** 2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.normalize(self.head(self.body(x)), dim=1)


def draw(n, size, device):
    angle = torch.rand(n, device=device) * 6.2831853
    axis = torch.linspace(-1, 1, size, device=device)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    distance = (x[None] * angle.sin()[:, None, None] - y[None] * angle.cos()[:, None, None]).abs()
    return torch.exp(-40 * distance).unsqueeze(1), torch.stack([angle.cos(), angle.sin()], dim=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, default=False)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--out", default="deploy")
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cudnn.benchmark = True
    os.makedirs(args.out, exist_ok=True)
    model = Gauge(args.size).to(device)
    trained = torch.compile(model) if args.compile else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule_lr = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=3e-3, total_steps=args.steps)
    writer = SummaryWriter(os.path.join(args.out, "tb"))
    context = (
        profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=2))
        if args.profile else contextlib.nullcontext()
    )
    with context as prof:
        for step in range(args.steps):
            image, target = draw(32, args.size, device)
            loss = (trained(image) - target).square().sum(1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule_lr.step()
            writer.add_scalar("loss", loss.item(), step)
            if prof is not None:
                prof.step()
    writer.add_images("last", image[:4], args.steps)
    writer.close()
    model.eval().cpu()
    scripted = torch.jit.script(model)
    scripted.save(os.path.join(args.out, "gauge.pt"))
    example = torch.randn(1, 1, args.size, args.size)
    torch.testing.assert_close(scripted(example), model(example))
    torch.onnx.export(model, (example,), os.path.join(args.out, "gauge.onnx"), input_names=["image"], output_names=["direction"])
    print("exported")


if __name__ == "__main__":
    main()
