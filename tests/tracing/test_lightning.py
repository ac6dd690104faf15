"""What PyTorch Lightning runs for a program: steps on the data of loaders and data modules, and hyperparameters."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore, read_source

MODULE = """
    import torch, torch.nn as nn, torch.nn.functional as F
    import pytorch_lightning as pl
    from torch.utils.data import DataLoader, TensorDataset

    class Net(pl.LightningModule):
        def __init__(self, hidden=16, rate=1e-3):
            super().__init__()
            self.save_hyperparameters()
            self.first = nn.Linear(8, self.hparams.hidden)
            self.last = nn.Linear(SIZE, 2)

        def forward(self, x):
            return self.last(self.first(x))

        def training_step(self, batch, index):
            x, y = batch
            return F.cross_entropy(self(x), y)

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), lr=self.hparams.rate)

    def loader():
        return DataLoader(TensorDataset(torch.zeros(20, 8), torch.zeros(20).long()), batch_size=4)

    class Data(pl.LightningDataModule):
        def setup(self, stage):
            self.kept = loader()

        def train_dataloader(self):
            return self.kept
    """


def lines(folder: Path, text: str) -> set[int]:
    (folder / "train.py").write_text(text)
    _, tree = read_source(folder / "train.py", folder)
    found = explore(folder, "train.py", tree, Versions()).problems.values()
    return {p.site.line for p in found if p.level == "error"}


@pytest.mark.parametrize(
    "fit", ["fit(Net(), loader())", "fit(model=Net(), train_dataloaders=loader())", "fit(Net(), datamodule=Data())"]
)
def test_the_training_step_runs_on_a_batch(tmp_path: Path, fit: str) -> None:
    text = dedent(MODULE) + f"pl.Trainer(max_epochs=1).{fit}\n"
    wrong = next(i for i, line in enumerate(text.splitlines(), 1) if "self.last(self" in line)
    assert lines(tmp_path, text.replace("SIZE", "17")) == {wrong}
    assert lines(tmp_path, text.replace("SIZE", "16")) == set()


def test_the_arguments_of_a_command_line_become_another_namespace(tmp_path: Path) -> None:
    text = dedent("""
        import argparse, torch
        from types import SimpleNamespace
        parser = argparse.ArgumentParser()
        parser.add_argument("--hidden", type=int, default=32)
        settings = SimpleNamespace(**vars(parser.parse_args()))
        torch.nn.Linear(settings.hidden, 2)(torch.zeros(4, SIZE))
        """)
    assert lines(tmp_path, text.replace("SIZE", "10")) == {7}
    assert lines(tmp_path, text.replace("SIZE", "32")) == set()
