import logging

import hydra
import torch
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger(__name__)


class Motion(Dataset):
    def __init__(self, channels, window, classes, size):
        self.shape, self.classes, self.size = (channels, window), classes, size

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return torch.randn(self.shape, generator=g), i % self.classes


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig) -> float:
    log.info(OmegaConf.to_yaml(cfg))
    torch.manual_seed(cfg.seed)
    loader = DataLoader(Motion(**cfg.data), **cfg.loader)
    model = instantiate(cfg.model)
    optimizer = instantiate(cfg.optimizer, params=model.parameters())
    loss = torch.tensor(0.0)
    for epoch in range(cfg.trainer.max_epochs):
        for i, (x, y) in enumerate(loader):
            loss = torch.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if i % cfg.trainer.log_every == 0:
                log.info("epoch %d step %d loss %.4f", epoch, i, loss)
    return loss.item()


if __name__ == "__main__":
    main()
