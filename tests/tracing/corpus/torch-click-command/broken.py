import torch
from torch import nn
import click

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(10, 2)
    def forward(self, x):
        return self.fc(x)  # <- expected

@click.command()
@click.option("--optim", type=click.Choice(["sgd", "adam"]), default="adam")
@click.option("--lr", default=0.1)
def main(optim, lr):
    net = Net()
    if optim == "sgd":
        opt = torch.optim.SGD(net.parameters(), lr=lr)
    elif optim == "adam":
        opt = torch.optim.Adam(net.parameters(), lr=lr)
    x = torch.randn(4, 11)
    loss = net(x).sum()
    loss.backward()
    opt.step()

if __name__ == "__main__":
    main(standalone_mode=False, args=[])
