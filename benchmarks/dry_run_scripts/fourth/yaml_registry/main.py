import sys
from pathlib import Path

import torch
import yaml

from data.cifar import loaders
from engine import accuracy, train_epoch
from models import build


def main(path):
    config = yaml.safe_load(Path(path).read_text())
    device = "cuda" if torch.cuda.is_available() else "cpu"
    train, test = loaders(**config["data"])
    options = dict(config["model"])
    model = build(options.pop("name"), **options).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=config["train"]["lr"])
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, 0.01, epochs=config["train"]["epochs"], steps_per_epoch=len(train)
    )
    for epoch in range(config["train"]["epochs"]):
        loss = train_epoch(model, train, optimizer, device)
        schedule.step()
        print(epoch, loss, accuracy(model, test, device))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("config.yml"))
