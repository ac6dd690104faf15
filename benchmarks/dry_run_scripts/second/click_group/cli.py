import click
import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self, tokens, width):
        super().__init__()
        self.token = nn.Sequential(nn.Linear(tokens, 2 * tokens), nn.GELU(), nn.Linear(2 * tokens, tokens))
        self.channel = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.head = nn.Linear(width, 5)

    def forward(self, x):
        x = x + self.token(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        x = x + self.channel(self.norm2(x))
        return self.head(x.mean(1))


@click.group()
@click.option("--seed", default=0)
@click.pass_context
def cli(ctx, seed):
    torch.manual_seed(seed)
    ctx.obj = {"device": "cpu"}


@cli.command()
@click.argument("run_name")
@click.option("--tokens", type=int, required=True)
@click.option("--width", type=int, default=32)
@click.option("--steps", default=100)
@click.pass_obj
def train(obj, run_name, tokens, width, steps):
    model = Mixer(tokens, width).to(obj["device"])
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(steps):
        x = torch.randn(16, tokens, 32)
        loss = nn.functional.cross_entropy(model(x), torch.randint(5, (16,)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.save(model.state_dict(), f"{run_name}.pt")


@cli.command()
@click.argument("weights", type=click.Path(exists=True))
def evaluate(weights):
    model = Mixer(16, 32)
    model.load_state_dict(torch.load(weights))
    print(model(torch.randn(1, 16, 32)))


if __name__ == "__main__":
    cli()
