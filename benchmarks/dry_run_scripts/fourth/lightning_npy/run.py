import numpy as np
import torch
from lightning.pytorch import LightningDataModule, LightningModule, Trainer, seed_everything
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Sensors(LightningDataModule):
    def setup(self, stage=None):
        x = torch.from_numpy(np.load("sensors/windows.npy")).float()
        y = torch.from_numpy(np.load("sensors/labels.npy")).long()
        cut = int(0.8 * len(x))
        self.train, self.val = TensorDataset(x[:cut], y[:cut]), TensorDataset(x[cut:], y[cut:])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=40, shuffle=True, num_workers=4)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=40, num_workers=4)


class Recognizer(LightningModule):
    def __init__(self, channels=9, hidden=64, num_classes=6):
        super().__init__()
        self.save_hyperparameters()
        self.conv = nn.Sequential(nn.Conv1d(channels, hidden, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2))
        self.rnn = nn.GRU(hidden, hidden, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * hidden, num_classes)

    def forward(self, x):
        h = self.conv(x.transpose(1, 2)).transpose(1, 2)
        states, _ = self.rnn(h)
        return self.head(states.mean(dim=1))

    def training_step(self, batch, index):
        x, y = batch
        loss = nn.functional.cross_entropy(self(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, index):
        x, y = batch
        self.log("val_accuracy", (self(x).argmax(1) == y).float().mean())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


if __name__ == "__main__":
    seed_everything(0)
    Trainer(max_epochs=10, accelerator="auto").fit(Recognizer(), Sensors())
