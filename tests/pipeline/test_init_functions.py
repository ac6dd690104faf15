"""A training loop in a function of its own: the entry point calls the function, with one batch."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.commands import init
from analyzer.exporting.inside.entry import build

torch = pytest.importorskip("torch")

SCRIPT = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, features=6):
        super().__init__()
        self.body = nn.Linear(features, 1)

    def forward(self, x):
        return torch.sigmoid(self.body(x))

class Entropy(nn.Module):
    def forward(self, given, target):
        return -(target * torch.log(given)).mean()

def fit(net, batches, criterion, optimizer, epoch=0, device="cpu"):
    net.train()
    size = len(batches.dataset)
    LOOP
        optimizer.step()
        print(epoch, size, loss.item())

def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Net()
    entropy = Entropy()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        fit(model, load(), entropy, optimizer, epoch)

if __name__ == "__main__":
    main()
"""
PLAIN = """for x, y in batches:
        optimizer.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()"""
FORMS = {
    "plain": (PLAIN, "fit(model, _Batches([(x, y)]), entropy, MagicMock(), MagicMock())"),
    "numbered": (PLAIN.replace("x, y in batches", "step, (x, y) in enumerate(batches)"), "_Batches([(x, y)])"),
    "taken apart": (PLAIN.replace("x, y in batches:", "batch in batches:\n        x, y = batch"), "_Batches([(x, y)])"),
    "more than needed": (PLAIN.replace("x, y in", "x, _, y in"), "_Batches([(x, None, y)])"),
    "scaled": (PLAIN.replace("loss.backward()", "optimizer.scale(loss).backward()"), ""),
    "by names": (PLAIN.replace("x, y in batches:", "b in batches:\n        x = b['x']\n        y = b['y']"), ""),
    "by the epoch": (PLAIN.replace("loss = criterion", "if epoch > 2: break\n        loss = criterion"), ""),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_function_that_trains_is_called_where_one_batch_is_enough(tmp_path: Path, form: str) -> None:
    loop, called = FORMS[form]
    name = f"trained_{list(FORMS).index(form)}"
    script = tmp_path / f"{name}.py"
    script.write_text(SCRIPT.replace("LOOP", loop))
    text = init.planned(init.look(tmp_path), tmp_path)[init.ENTRIES]
    assert called in text
    assert ("_loss(lambda" in text) == bool(called)
    (tmp_path / "entries.py").write_text(text)
    built = build("entries.py:net_loss", str(tmp_path))
    assert isinstance(built.inputs, tuple)
    loss = built.model(*built.inputs)
    assert loss.shape == ()
    x, y = built.inputs
    body = built.model.model.body
    torch.testing.assert_close(loss, -(y * torch.log(torch.sigmoid(body(x)))).mean())
    assert torch.Tensor.backward.__module__ == "torch._tensor"
    loss.backward()
    assert body.weight.grad is not None
