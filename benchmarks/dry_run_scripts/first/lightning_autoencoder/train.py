import os

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.loggers import TensorBoardLogger
from torch import nn
from torch.utils.data import DataLoader, random_split
from torchvision.datasets import MNIST
from torchvision.transforms import ToTensor


class DigitsData(L.LightningDataModule):
    def __init__(self, root=".", batch_size=128):
        super().__init__()
        self.root, self.batch_size = root, batch_size

    def prepare_data(self):
        MNIST(self.root, train=True, download=True)

    def setup(self, stage=None):
        full = MNIST(self.root, train=True, transform=ToTensor())
        self.train_set, self.val_set = random_split(full, [55000, 5000])

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, batch_size=self.batch_size)


class AutoEncoder(L.LightningModule):
    def __init__(self, latent=16, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.encoder = nn.Sequential(nn.Linear(28 * 28, 256), nn.ReLU(), nn.Linear(256, latent))
        self.decoder = nn.Sequential(nn.Linear(latent, 256), nn.ReLU(), nn.Linear(256, 28 * 28))
        self.classifier = nn.Linear(latent, 10)

    def forward(self, x):
        return self.encoder(x.view(x.size(0), -1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        z = self(x)
        rebuilt = self.decoder(z)
        loss = nn.functional.mse_loss(rebuilt, x.flatten(1)) + nn.functional.cross_entropy(self.classifier(z), y)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        z = self(x)
        accuracy = (self.classifier(z).argmax(-1) == y).float().mean()
        picture = self.decoder(z).view(-1, 1, 28, 28)
        self.log("val_loss", nn.functional.mse_loss(picture, x))
        self.log("val_acc", accuracy)

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 5)}


if __name__ == "__main__":
    L.seed_everything(3)
    trainer = L.Trainer(
        max_epochs=10,
        accelerator="auto",
        devices=1,
        logger=TensorBoardLogger(os.getcwd(), name="runs"),
        callbacks=[ModelCheckpoint(monitor="val_loss")],
    )
    trainer.fit(AutoEncoder(), datamodule=DigitsData())
