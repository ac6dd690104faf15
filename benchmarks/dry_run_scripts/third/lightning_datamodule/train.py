import argparse

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping, LearningRateMonitor, ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split


class TaggedSentences(Dataset):
    """Random sentences of one length with one tag per token."""

    def __init__(self, n=400, length=20, vocab=500, tags=9):
        g = torch.Generator().manual_seed(3)
        self.tokens = torch.randint(1, vocab, (n, length), generator=g)
        self.tags = self.tokens % tags

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        return {"tokens": self.tokens[i], "tags": self.tags[i]}


class SentenceModule(L.LightningDataModule):
    def __init__(self, batch_size: int = 32):
        super().__init__()
        self.save_hyperparameters()

    def setup(self, stage=None):
        self.train_set, self.val_set, self.test_set = random_split(TaggedSentences(), [300, 60, 40])

    def train_dataloader(self):
        return DataLoader(self.train_set, self.hparams.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val_set, self.hparams.batch_size)

    def test_dataloader(self):
        return DataLoader(self.test_set, self.hparams.batch_size)


class Tagger(L.LightningModule):
    def __init__(self, vocab=500, tags=9, width=64, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.embed = nn.Embedding(vocab, width, padding_idx=0)
        self.rnn = nn.LSTM(width, width, num_layers=2, bidirectional=True, batch_first=True)
        self.out = nn.Linear(2 * width, tags)

    def forward(self, tokens):
        hidden, _ = self.rnn(self.embed(tokens))
        return self.out(hidden)

    def training_step(self, batch, batch_idx):
        logits = self(batch["tokens"])
        loss = F.cross_entropy(logits.flatten(0, 1), batch["tags"].flatten())
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch, batch_idx):
        logits = self(batch["tokens"])
        loss = F.cross_entropy(logits.transpose(1, 2), batch["tags"])
        acc = (logits.argmax(-1) == batch["tags"]).float().mean()
        self.log_dict({"val_loss": loss, "val_acc": acc}, prog_bar=True)

    def test_step(self, batch, batch_idx):
        logits = self(batch["tokens"])
        self.log("test_acc", (logits.argmax(-1) == batch["tags"]).float().mean())

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
        sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=2)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "monitor": "val_loss"}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--max_epochs", type=int, default=2)
    parser.add_argument("--batch_size", type=int, default=32)
    args = parser.parse_args()
    L.seed_everything(1)
    data = SentenceModule(args.batch_size)
    model = Tagger()
    checkpoint = ModelCheckpoint(monitor="val_acc", mode="max", filename="{epoch}-{val_acc:.3f}")
    trainer = L.Trainer(
        max_epochs=args.max_epochs,
        accelerator="auto",
        num_sanity_val_steps=0,
        logger=CSVLogger("logs"),
        callbacks=[checkpoint, EarlyStopping("val_loss", patience=3), LearningRateMonitor()],
    )
    trainer.fit(model, datamodule=data)
    trainer.test(model, datamodule=data, ckpt_path="best")


if __name__ == "__main__":
    main()
