import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.metrics import Accuracy, Loss
from torch import nn, optim
from torch.utils.data import DataLoader
from torchvision.datasets import SVHN
from torchvision.transforms import Compose, Normalize, ToTensor


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, kernel_size=5)
        self.conv2 = nn.Conv2d(32, 64, kernel_size=5)
        self.fc1 = nn.Linear(64 * 5 * 5, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = nn.functional.relu(nn.functional.max_pool2d(self.conv1(x), 2))
        x = nn.functional.relu(nn.functional.max_pool2d(self.conv2(x), 2))
        return self.fc2(nn.functional.relu(self.fc1(x.flatten(1))))


def run(epochs=5, device="cuda" if torch.cuda.is_available() else "cpu"):
    transform = Compose([ToTensor(), Normalize((0.44,) * 3, (0.2,) * 3)])
    train = DataLoader(SVHN("svhn", split="train", download=True, transform=transform), 100, shuffle=True)
    val = DataLoader(SVHN("svhn", split="test", download=True, transform=transform), 100)
    model, criterion = Net().to(device), nn.CrossEntropyLoss()
    trainer = create_supervised_trainer(model, optim.RMSprop(model.parameters(), 1e-3), criterion, device=device)
    evaluator = create_supervised_evaluator(model, {"acc": Accuracy(), "nll": Loss(criterion)}, device=device)

    @trainer.on(Events.EPOCH_COMPLETED)
    def log(engine):
        evaluator.run(val)
        print(engine.state.epoch, evaluator.state.metrics)

    trainer.run(train, max_epochs=epochs)


if __name__ == "__main__":
    run()
