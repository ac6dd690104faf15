import pytorch_lightning as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Sequences(pl.LightningModule):
    def __init__(self, batch=24, hidden=40):
        super().__init__()
        self.batch, self.hidden = batch, hidden
        self.lstm = nn.LSTM(8, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 3)

    def forward(self, x):
        state = torch.zeros(1, x.size(0), self.hidden, device=x.device)
        h, _ = self.lstm(x, (state, state))
        return self.out(h[:, -1])

    def training_step(self, batch, index):
        x, y = batch
        loss = nn.functional.cross_entropy(self(x), y)
        self.log("loss", loss)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 1e-3)


if __name__ == "__main__":
    data = TensorDataset(torch.randn(250, 15, 8), torch.randint(3, (250,)))
    trainer = pl.Trainer(max_epochs=5, gradient_clip_val=1.0)
    trainer.fit(Sequences(), DataLoader(data, batch_size=24, shuffle=True))
