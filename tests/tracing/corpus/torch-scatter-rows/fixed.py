import torch
from torch import nn

class GraphConv(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.lin = nn.Linear(in_dim, out_dim)

    def forward(self, x, edge_index):
        src, dst = edge_index
        messages = self.lin(x)[src]
        out = torch.zeros(x.size(0), messages.size(1))
        out = out.index_add(0, dst, messages)
        deg = torch.zeros(x.size(0)).index_add(0, dst, torch.ones(dst.size(0)))
        return out / deg.clamp(min=1).unsqueeze(-1)

class GCN(nn.Module):
    def __init__(self, feats, hidden, classes):
        super().__init__()
        self.conv1 = GraphConv(feats, hidden)
        self.conv2 = GraphConv(hidden, classes)

    def forward(self, x, edge_index):
        return self.conv2(torch.relu(self.conv1(x, edge_index)), edge_index)

x = torch.randn(30, 8)
edges = torch.randint(0, 30, (2, 100))
y = torch.randint(0, 4, (30,))
model = GCN(8, 16, 4)
loss = nn.functional.cross_entropy(model(x, edges), y)
loss.backward()
