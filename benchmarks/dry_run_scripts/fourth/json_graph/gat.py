import json

import torch
import torch.nn.functional as F
from torch import nn

CLASSES, WORDS = 5, 300


def load(path):
    papers = json.load(open(path))
    x = torch.zeros(len(papers), WORDS)
    y = torch.zeros(len(papers), dtype=torch.long)
    edges = []
    for i, paper in enumerate(papers):
        for w in paper["abstract"].split():
            x[i, sum(map(ord, w)) % WORDS] = 1
        y[i] = int(paper["category_id"])
        edges += [(i, (i * 7 + k) % len(papers)) for k in range(len(paper["title"].split()) % 5)]
    return x, y, torch.tensor(edges).t()


class GAT(nn.Module):
    def __init__(self, cin, cout, heads):
        super().__init__()
        self.heads, self.cout = heads, cout
        self.w = nn.Linear(cin, heads * cout, bias=False)
        self.src, self.dst = nn.Parameter(torch.randn(heads, cout)), nn.Parameter(torch.randn(heads, cout))

    def forward(self, x, edges):
        h = self.w(x).view(-1, self.heads, self.cout)
        s, d = (h * self.src).sum(-1), (h * self.dst).sum(-1)
        score = F.leaky_relu(s[edges[0]] + d[edges[1]]).exp()
        total = torch.zeros(len(x), self.heads).index_add(0, edges[1], score) + 1e-9
        message = (score / total[edges[1]]).unsqueeze(-1) * h[edges[0]]
        return torch.zeros(len(x), self.heads, self.cout).index_add(0, edges[1], message).flatten(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = GAT(WORDS, 16, 4), GAT(64, CLASSES, 1)

    def forward(self, x, edges):
        return self.two(F.elu(self.one(x, edges)), edges)


x, y, edges = load("papers.json")
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=5e-4)
for epoch in range(100):
    loss = F.cross_entropy(net(x, edges), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 10 == 0:
        print(epoch, loss.item())
