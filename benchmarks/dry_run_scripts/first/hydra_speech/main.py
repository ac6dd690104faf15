import logging

import hydra
import torch
from omegaconf import DictConfig, OmegaConf
from torch import nn
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger(__name__)


class Synthetic(Dataset):
    """Random spectrograms, for smoke runs."""

    def __init__(self, mels, phones, size=1000):
        self.mels, self.phones, self.size = mels, phones, size

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        frames = int(torch.randint(80, 160, (1,), generator=g))
        return torch.randn(frames, self.mels, generator=g), torch.randint(1, self.phones, (frames // 8,), generator=g)


def collate(batch):
    xs, ys = zip(*batch)
    lengths = torch.tensor([len(x) for x in xs])
    return nn.utils.rnn.pad_sequence(xs, batch_first=True), lengths, torch.cat(ys), torch.tensor([len(y) for y in ys])


class Acoustic(nn.Module):
    def __init__(self, mels, hidden, layers, phones):
        super().__init__()
        self.front = nn.Sequential(nn.Conv1d(mels, hidden, 5, stride=2, padding=2), nn.ReLU())
        self.rnn = nn.LSTM(hidden, hidden, layers, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, phones)

    def forward(self, x):
        h = self.front(x.transpose(1, 2)).transpose(1, 2)
        h, _ = self.rnn(h)
        return self.out(h).log_softmax(-1)


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig) -> None:
    log.info(OmegaConf.to_yaml(cfg))
    torch.manual_seed(cfg.seed)
    m = cfg.model
    model = Acoustic(m.mels, m.hidden, m.layers, m.phones)
    loader = DataLoader(Synthetic(m.mels, m.phones), batch_size=cfg.optim.batch_size, shuffle=True, collate_fn=collate)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.optim.lr)
    ctc = nn.CTCLoss(zero_infinity=True)
    step = 0
    while step < cfg.optim.steps:
        for x, lengths, y, y_lengths in loader:
            loss = ctc(model(x).transpose(0, 1), y, (lengths + 1) // 2, y_lengths)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % 50 == 0:
                log.info("%d %.3f", step, loss.item())


if __name__ == "__main__":
    main()
