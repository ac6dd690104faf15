"""`assay init` makes the loss of a training loop an entry point: numerical failures of training stand there."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from analyzer.commands import init
from analyzer.exporting.inside.entry import build

NETS = """
import torch
from torch import nn
import torch.nn.functional as F

class Digits(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.head = nn.Linear(4 * 26 * 26, classes)

    def forward(self, x):
        return F.log_softmax(self.head(F.relu(self.conv(x)).flatten(1)), 1)

class Price(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(features, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, x):
        return self.layers(x)

class Coder(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.down, self.up = nn.Linear(784, width), nn.Linear(width, 784)

    def forward(self, x):
        return torch.sigmoid(self.up(self.down(x)))

class Masks(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 2, 3, padding=1)

    def forward(self, x):
        return self.conv(x)

def penalty(model):
    return model.layers[0].weight.square().sum()
"""
DIGITS = """
import argparse
import torch
import torch.nn.functional as F
from {nets} import Digits

def train(args, model, device, loader, optimizer, epoch):
    model.train()
    for number, (data, target) in enumerate(loader):
        data, target = data.to(device), target.to(device)
        optimizer.zero_grad()
        output = model(data)
        loss = F.nll_loss(output, target)
        loss.backward()
        optimizer.step()

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1.0)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Digits().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for epoch in range(3):
        train(args, model, device, load(), optimizer, epoch)

if __name__ == "__main__":
    main()
"""
PRICE = """
import torch
from torch import nn
from {nets} import Price, penalty

if __name__ == "__main__":
    scale = 0.5
    net = Price(features=5)
    criterion = nn.MSELoss()
    scaler = torch.cuda.amp.GradScaler()
    for epoch in range(2):
        for batch in load():
            x, y = batch
            with torch.cuda.amp.autocast():
                out = net(x)
                loss = criterion(out, y)
                loss += scale * penalty(net)
            scaler.scale(loss).backward()
"""
CODER = """
import torch
from {nets} import Coder

def main():
    coder = Coder()
    loss_function = torch.nn.BCELoss(reduction="sum")
    for images, _ in load():
        images = images.view(-1, 784)
        loss = loss_function(coder(images), images)
        loss.backward()

if __name__ == "__main__":
    main()
"""
MASKS = """
import torch
from {nets} import Masks

def main():
    net = Masks()
    for batch in load():
        images, masks = batch["image"], batch["mask"]
        loss = torch.nn.functional.cross_entropy(net(images), masks)
        loss.backward()

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("script", "name", "shapes", "called"),
    [
        (DIGITS, "digits", [(2, 1, 28, 28), (2,)], "train(MagicMock(), model, device, _Batches([(data, target)]), "),
        (PRICE, "price", [(2, 5), (2, 1)], ""),
        (CODER, "coder", [(2, 784)], ""),
        (MASKS, "masks", [(2, 3, 224, 224), (2, 224, 224)], ""),
    ],
)
def test_the_loss_of_a_training_loop_is_an_entry_point(
    tmp_path: Path, script: str, name: str, shapes: list[tuple[int, ...]], called: str
) -> None:
    nets = f"nets_of_{name}"
    (tmp_path / f"{nets}.py").write_text(NETS)
    (tmp_path / "train.py").write_text(script.format(nets=nets))
    found = init.look(tmp_path)
    texts = init.planned(found, tmp_path)
    targets = [t["entry"] for t in yaml.safe_load(texts[init.CONFIGURATION])["targets"]]
    assert f"assay_models.py:{name}_loss" in targets
    (loss,) = found.losses
    assert script.splitlines()[loss.line - 1].strip().startswith("for ")
    (tmp_path / "entries.py").write_text(texts[init.ENTRIES])
    lines = texts[init.ENTRIES].partition(f"def {name}_loss")[2].splitlines()
    assert lines.count("    import torch") <= 1
    assert not any("cuda.is_available" in line for line in lines)
    assert called in "\n".join(lines)
    built = build(f"entries.py:{name}_loss", str(tmp_path))
    assert isinstance(built.inputs, tuple)
    assert [tuple(tensor.shape) for tensor in built.inputs] == shapes
    value = built.model(*built.inputs)
    assert value.shape == ()
    value.backward()


LIGHTNING = """
import torch
import torch.nn.functional as F
import pytorch_lightning as pl
from torch import nn

class Judge(pl.LightningModule):
    def __init__(self, width=4):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, width, 3), nn.ReLU(), nn.Flatten(), nn.Linear(width * 26 * 26, 10))

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())
"""


def test_the_training_step_of_a_lightning_module_is_its_loss(tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text(LIGHTNING)
    found = init.look(tmp_path)
    text = init.planned(found, tmp_path)[init.ENTRIES]
    assert [(call.name, call.certain) for call in found.entries] == [("judge", True), ("judge_loss", True)]
    assert "return model.training_step((x, y,), 0)" in text
    assert "_Call(Judge(), loss_of), (torch.rand(2, 1, 28, 28), torch.randint(0, 2, (2,)))" in text
    (tmp_path / "judge.py").write_text(LIGHTNING.replace("return loss", 'return {"loss": loss}'))
    assert init.look(tmp_path).losses == ()


@pytest.mark.parametrize(
    "changed",
    [
        ("criterion(out, y)", "criterion(out, y, epoch)"),  # what a loop counts
        ("x, y = batch", "x, y = prepare(batch)"),  # a name that nothing defines
        ("out = net(x)", "out = net(x, y)"),
        ("scaler.scale(loss).backward()", "print(loss)"),
    ],
)
def test_a_loss_that_needs_more_is_left_out(tmp_path: Path, changed: tuple[str, str]) -> None:
    (tmp_path / "nets_of_more.py").write_text(NETS)
    assert changed[0] in PRICE
    (tmp_path / "train.py").write_text(PRICE.replace(*changed).format(nets="nets_of_more"))
    found = init.look(tmp_path)
    assert found.losses == ()
    assert "price" in [call.name for call in found.inferred]
