"""Graph attention on dense adjacency matrices (nodes of citation graphs)."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


class GraphAttention(nn.Module):
    def __init__(self, fan_in: int, fan_out: int, heads: int, concat: bool = True):
        super().__init__()
        self.heads, self.fan_out, self.concat = heads, fan_out, concat
        self.weight = nn.Linear(fan_in, heads * fan_out, bias=False)
        self.source = nn.Parameter(torch.randn(heads, fan_out) * 0.1)
        self.target = nn.Parameter(torch.randn(heads, fan_out) * 0.1)

    def forward(self, x: Float[Tensor, "n fan_in"], adjacency: Float[Tensor, "n n"]) -> Float[Tensor, "n width"]:
        h = self.weight(x).view(-1, self.heads, self.fan_out)
        source = (h * self.source).sum(-1)
        target = (h * self.target).sum(-1)
        scores = F.leaky_relu(source[:, None] + target[None, :], 0.2)
        scores = scores.masked_fill(adjacency[:, :, None] == 0, float("-inf"))
        attention = F.dropout(scores.softmax(dim=1), 0.1, self.training)
        out = torch.einsum("ijh,jhf->ihf", attention, h)
        return out.flatten(1) if self.concat else out.mean(dim=1)


class GAT(nn.Module):
    def __init__(self, features: int, hidden: int, classes: int, heads: int = 8):
        super().__init__()
        self.first = GraphAttention(features, hidden, heads)
        self.second = GraphAttention(hidden * heads, classes, 1, concat=False)

    def forward(self, x: Float[Tensor, "n features"], adjacency: Float[Tensor, "n n"]) -> Float[Tensor, "n classes"]:
        x = F.elu(self.first(F.dropout(x, 0.5, self.training), adjacency))
        return F.log_softmax(self.second(x, adjacency), dim=1)


def main() -> None:
    nodes, features, classes = 60, 30, 7
    x = torch.rand(nodes, features)
    adjacency = (torch.rand(nodes, nodes) > 0.9).float()
    adjacency = ((adjacency + adjacency.T + torch.eye(nodes)) > 0).float()
    labels = torch.randint(0, classes, (nodes,))
    train_mask = torch.zeros(nodes, dtype=torch.bool)
    train_mask[:20] = True
    model = GAT(features, 8, classes)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=5e-4)
    for _ in range(5):
        model.train()
        out = model(x, adjacency)
        loss = F.nll_loss(out[train_mask], labels[train_mask])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
